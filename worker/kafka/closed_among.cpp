// SPDX-License-Identifier: Apache-2.0
#include "worker/kafka/closed_among.hpp"

#include <vector>

#include "worker/kafka/admin_requests.hpp"
#include "worker/kafka/needed_rights.hpp"

namespace ba {

std::map<std::string, std::string> closed_among(rd_kafka_t& client,
                                                const std::set<std::string>& topics,
                                                const KafkaOptions& options, Milliseconds timeout) {
  const auto found = describe_topics(client, {topics.begin(), topics.end()}, timeout);
  if (!found) return {};
  std::map<std::string, std::string> closed;
  std::vector<NeededRight> needed;
  for (const std::string& topic : topics) {
    needed.push_back({KafkaResource::Topic, topic, KafkaOperation::Write});
    if (!found->contains(topic))
      closed[topic] = "topic " + topic + " does not exist: run `ba-agent topics create`";
  }
  for (const NeededRight& right : lacking(needed, *found))
    closed[right.name] = lack_text(right, options) + "; " + grant_text(right, options);
  return closed;
}

}  // namespace ba
