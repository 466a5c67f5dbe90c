#pragma once
// SPDX-License-Identifier: Apache-2.0
// Binds the contract's decoder to the intake: a record becomes a job of its topic's lane, or a dead
// letter with the message for its topic.

#include "pipeline/contract/limits.hpp"
#include "pipeline/contract/publication.hpp"
#include "pipeline/intake/intake_batch.hpp"
#include "worker/kafka/kafka_options.hpp"

namespace ba {

DecodeRecord make_intake_decoder(JobContractLimits limits, Publication publication,
                                 KafkaTopics topics);

}  // namespace ba
