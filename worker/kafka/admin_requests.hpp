#pragma once
// SPDX-License-Identifier: Apache-2.0
// What a client asks the brokers about topics and groups, with what it may do with them. Blocking,
// bounded by the time that is given; on any client of the library, also one that publishes. Inside
// worker/kafka, any thread.

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "worker/kafka/client.hpp"
#include "worker/kafka/kafka_options.hpp"
#include "worker/kafka/needed_rights.hpp"

namespace ba::kafka {

using AdminOptions =
    std::unique_ptr<rd_kafka_AdminOptions_t, Destroyer<rd_kafka_AdminOptions_destroy>>;

AdminOptions make_admin_options(rd_kafka_t& client, rd_kafka_admin_op_t operation,
                                Milliseconds timeout);

/// The answer of an administrative request; `what` says what was asked for.
Result<EventHandle> await_answer(rd_kafka_queue_t& queue, Milliseconds timeout,
                                 const std::string& what);

/// What the brokers allow; none: they don't tell. A broker without an authorizer allows all.
using Allowed = std::optional<std::set<KafkaOperation>>;

struct DescribedTopic {
  bool hidden = false;  ///< it may not even be seen; whether it exists isn't known
  int partitions = 0;
  Allowed allowed;
};

/// Those of `names` that exist, or that are hidden.
Result<std::map<std::string, DescribedTopic>> describe_topics(rd_kafka_t& client,
                                                              const std::vector<std::string>& names,
                                                              Milliseconds timeout);

/// Whether the group may be read, which is what joining takes. True where the brokers don't tell.
Result<bool> may_read_group(rd_kafka_t& client, const std::string& group, Milliseconds timeout);

/// Of `needed`, which are rights on topics: those that `found` lacks. A topic that isn't found at
/// all lacks none.
std::vector<NeededRight> lacking(const std::vector<NeededRight>& needed,
                                 const std::map<std::string, DescribedTopic>& found);

// Which topics take nothing of this client, by what the brokers say. Blocking, bounded by the time
// that is given; on any client of the library. Inside worker/kafka, any thread.

/// Those of `topics` that don't exist or that this client may not write to, and for each why, with
/// the remedy. None where the brokers don't tell now.
std::map<std::string, std::string> closed_among(rd_kafka_t& client,
                                                const std::set<std::string>& topics,
                                                const KafkaOptions& options, Milliseconds timeout);

}  // namespace ba::kafka
