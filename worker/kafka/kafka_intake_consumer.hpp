#pragma once
// SPDX-License-Identifier: Apache-2.0
// Takes records of the job topics in, as a member of the consumer group. One named thread polls and
// never works: it batches records, posts them to the control thread and obeys.

#include "pipeline/core/intake/intake_consumer.hpp"
#include "pipeline/core/port/executor.hpp"
#include "worker/kafka/kafka_options.hpp"

namespace ba::kafka {

/// Joins the group. `executor` and what `events` refer to outlive the consumer, whose destruction
/// joins the thread.
Result<std::unique_ptr<IntakeConsumer>> make_intake_consumer(const KafkaOptions& options,
                                                             Executor& executor,
                                                             IntakeEvents events);

}  // namespace ba::kafka
