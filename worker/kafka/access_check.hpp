#pragma once
// SPDX-License-Identifier: Apache-2.0
// Whether the brokers let this client do what a worker does, beside its topics (topics.hpp): be a
// member of the group, publish in transactions. Blocking, bounded by the request time-out; any
// thread but the control thread.

#include <optional>
#include <string>
#include <vector>

#include "pipeline/base/error.hpp"
#include "worker/kafka/kafka_options.hpp"
#include "worker/kafka/topics.hpp"

namespace ba {

struct AccessLack {
  std::string message;  ///< names who, the right and on what
  std::string remedy;   ///< the command that gives it
};

/// What is missing to be a member of the group; none: nothing is.
Result<std::optional<AccessLack>> check_group_access(const KafkaOptions& options);

/// Tries it: begins to publish as "<prefix>-check", an id that no shard has, and publishes nothing.
Result<std::optional<AccessLack>> check_transaction_access(const KafkaOptions& options);

/// What a worker lacks, of its topics and its group, one text for each; empty: nothing. For who
/// asks again and again: it changes nothing on the brokers.
Result<std::vector<std::string>> worker_lacks(const KafkaOptions& options);

/// verify_topics() for a worker's start; where its topics or its group lack a right, an error that
/// names all of them and may be mended while it waits.
Result<std::vector<TopicFinding>> verify_for_worker(const KafkaOptions& options);

}  // namespace ba
