#pragma once
// SPDX-License-Identifier: Apache-2.0
// What the brokers' authorizer must allow: which rights a worker needs, and how a person is told of
// one that is missing. `config/SECURITY.md` has the same as a table. Pure.

#include <string>
#include <vector>

#include "pipeline/base/error.hpp"
#include "worker/kafka/kafka_options.hpp"

namespace ba::kafka {

enum class KafkaResource { Topic, Group, TransactionalId };
/// Read and Write bring Describe with them; Create and DescribeConfigs don't.
enum class KafkaOperation { Describe, DescribeConfigs, Read, Write, Create };

struct NeededRight {
  KafkaResource resource = KafkaResource::Topic;
  std::string name;  ///< of a transactional id: what all of them begin with
  KafkaOperation operation = KafkaOperation::Describe;

  friend bool operator==(const NeededRight&, const NeededRight&) = default;
};

/// On its eight topics, in the order of wanted_topics(): what it does with them, and reading their
/// settings at the start.
std::vector<NeededRight> topic_rights_of_worker(const KafkaOptions& options);
NeededRight group_right(const KafkaOptions& options);
NeededRight transactions_right(const KafkaOptions& options);

/// "User:ba-agent has no right Write on topic ba.results".
std::string lack_text(const NeededRight& right, const KafkaOptions& options);

/// The command that gives it, in back quotes. Where the login doesn't say who the brokers take the
/// client for, the principal is "User:NAME".
std::string grant_text(const NeededRight& right, const KafkaOptions& options);

/// Where the brokers have denied something, says which right is missing and what gives it.
Error with_lack(Error error, const NeededRight& right, const KafkaOptions& options);

/// The same for what reads a topic under the name of the group: by the error, either may be denied.
/// Read brings what it takes to ask for partitions and offsets. Empty: which topic isn't known.
Error with_lack_of_reading(Error error, const std::string& topic, const KafkaOptions& options);

}  // namespace ba::kafka
