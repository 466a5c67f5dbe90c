#pragma once
// SPDX-License-Identifier: Apache-2.0
// Binds the contract's decoder to the intake: a record becomes a job (of its topic's lane where
// it names none) or a dead letter with the message for its topic.

#include "pipeline/core/intake/intake_batch.hpp"
#include "pipeline/text/contract/limits.hpp"
#include "pipeline/text/contract/publication.hpp"

namespace ba::driver {

DecodeRecord make_intake_decoder(JobContractLimits limits, Publication publication,
                                 JobTopics topics);

}  // namespace ba::driver
