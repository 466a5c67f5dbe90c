// SPDX-License-Identifier: Apache-2.0
#include "worker/kafka/admin_requests.hpp"

#include <algorithm>
#include <array>
#include <thread>

namespace ba::kafka {
namespace {

struct TopicsDestroyer {
  void operator()(rd_kafka_TopicCollection_t* topics) const {
    rd_kafka_TopicCollection_destroy(topics);
  }
};
using TopicCollection = std::unique_ptr<rd_kafka_TopicCollection_t, TopicsDestroyer>;

constexpr Milliseconds kBeyondRequest{1'000};  ///< the library ends its own requests before
constexpr Milliseconds kAskAgain{100};

AdminOptions asking_for_rights(rd_kafka_t& client, rd_kafka_admin_op_t operation,
                               Milliseconds timeout) {
  AdminOptions options = make_admin_options(client, operation, timeout);
  const ErrorHandle refused(
      rd_kafka_AdminOptions_set_include_authorized_operations(options.get(), 1));
  return options;
}

void allow(std::set<KafkaOperation>& allowed, rd_kafka_AclOperation_t operation) {
  switch (operation) {
    case RD_KAFKA_ACL_OPERATION_DESCRIBE:
      allowed.insert(KafkaOperation::Describe);
      break;
    case RD_KAFKA_ACL_OPERATION_DESCRIBE_CONFIGS:
      allowed.insert(KafkaOperation::DescribeConfigs);
      break;
    case RD_KAFKA_ACL_OPERATION_READ:
      allowed.insert(KafkaOperation::Read);
      break;
    case RD_KAFKA_ACL_OPERATION_WRITE:
      allowed.insert(KafkaOperation::Write);
      break;
    default:
      break;
  }
}

Allowed allowed_of(const rd_kafka_AclOperation_t* operations, std::size_t count) {
  if (!operations) return std::nullopt;
  std::set<KafkaOperation> allowed;
  std::for_each_n(operations, count,
                  [&](rd_kafka_AclOperation_t operation) { allow(allowed, operation); });
  return allowed;
}

bool allows(const Allowed& allowed, KafkaOperation operation) {
  return !allowed || allowed->contains(operation);
}

Result<void> read_topic(const rd_kafka_TopicDescription_t& described,
                        std::map<std::string, DescribedTopic>& found) {
  const std::string name = rd_kafka_TopicDescription_name(&described);
  const rd_kafka_error_t* error = rd_kafka_TopicDescription_error(&described);
  const auto code = error ? rd_kafka_error_code(error) : RD_KAFKA_RESP_ERR_NO_ERROR;
  if (code == RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART) return {};
  DescribedTopic topic;
  topic.hidden = code == RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED;
  if (code != RD_KAFKA_RESP_ERR_NO_ERROR && !topic.hidden)
    return to_error(failure_of(code, rd_kafka_error_string(error)), "looking at topic " + name);
  std::size_t count = 0;
  rd_kafka_TopicDescription_partitions(&described, &count);
  topic.partitions = static_cast<int>(count);
  const auto* operations = rd_kafka_TopicDescription_authorized_operations(&described, &count);
  topic.allowed = topic.hidden ? std::set<KafkaOperation>{} : allowed_of(operations, count);
  found[name] = topic;
  return {};
}

Result<bool> ask_about_group(rd_kafka_t& client, const std::string& group, Milliseconds timeout) {
  const std::string what = "asking for group " + group;
  const char* name = group.c_str();
  const AdminOptions options =
      asking_for_rights(client, RD_KAFKA_ADMIN_OP_DESCRIBECONSUMERGROUPS, timeout);
  const QueueHandle queue(rd_kafka_queue_new(&client));
  rd_kafka_DescribeConsumerGroups(&client, &name, 1, options.get(), queue.get());
  const auto event = await_answer(*queue, timeout, what);
  if (!event) return event.error();
  std::size_t count = 0;
  const rd_kafka_ConsumerGroupDescription_t** all = rd_kafka_DescribeConsumerGroups_result_groups(
      rd_kafka_event_DescribeConsumerGroups_result(event->get()), &count);
  if (count == 0) return to_error(failure_of(RD_KAFKA_RESP_ERR__BAD_MSG), what);
  const rd_kafka_error_t* error = rd_kafka_ConsumerGroupDescription_error(all[0]);
  const auto code = error ? rd_kafka_error_code(error) : RD_KAFKA_RESP_ERR_NO_ERROR;
  if (code == RD_KAFKA_RESP_ERR_GROUP_AUTHORIZATION_FAILED) return false;
  if (code != RD_KAFKA_RESP_ERR_NO_ERROR)
    return to_error(failure_of(code, rd_kafka_error_string(error)), what);
  const auto* operations = rd_kafka_ConsumerGroupDescription_authorized_operations(all[0], &count);
  return allows(allowed_of(operations, count), KafkaOperation::Read);
}

}  // namespace

AdminOptions make_admin_options(rd_kafka_t& client, rd_kafka_admin_op_t operation,
                                Milliseconds timeout) {
  AdminOptions options(rd_kafka_AdminOptions_new(&client, operation));
  std::array<char, 64> reason{};
  rd_kafka_AdminOptions_set_request_timeout(options.get(), static_cast<int>(timeout.count()),
                                            reason.data(), reason.size());
  return options;
}

Result<EventHandle> await_answer(rd_kafka_queue_t& queue, Milliseconds timeout,
                                 const std::string& what) {
  EventHandle event(
      rd_kafka_queue_poll(&queue, static_cast<int>((timeout + kBeyondRequest).count())));
  if (!event) return to_error(failure_of(RD_KAFKA_RESP_ERR__TIMED_OUT), what);
  if (const auto code = rd_kafka_event_error(event.get()); code != RD_KAFKA_RESP_ERR_NO_ERROR)
    return to_error(failure_of(code, rd_kafka_event_error_string(event.get())), what);
  return event;
}

Result<std::map<std::string, DescribedTopic>> describe_topics(rd_kafka_t& client,
                                                              const std::vector<std::string>& names,
                                                              Milliseconds timeout) {
  std::vector<const char*> raw;
  for (const std::string& name : names) raw.push_back(name.c_str());
  const TopicCollection topics(rd_kafka_TopicCollection_of_topic_names(raw.data(), raw.size()));
  const AdminOptions options = asking_for_rights(client, RD_KAFKA_ADMIN_OP_DESCRIBETOPICS, timeout);
  const QueueHandle queue(rd_kafka_queue_new(&client));
  rd_kafka_DescribeTopics(&client, topics.get(), options.get(), queue.get());
  const auto event = await_answer(*queue, timeout, "asking for the topics");
  if (!event) return event.error();
  std::size_t count = 0;
  const rd_kafka_TopicDescription_t** all = rd_kafka_DescribeTopics_result_topics(
      rd_kafka_event_DescribeTopics_result(event->get()), &count);
  std::map<std::string, DescribedTopic> found;
  for (std::size_t i = 0; i < count; ++i)
    if (auto read = read_topic(*all[i], found); !read) return read.error();
  return found;
}

/// The first to use a group of a new cluster waits for its coordinator.
Result<bool> may_read_group(rd_kafka_t& client, const std::string& group, Milliseconds timeout) {
  const auto give_up = std::chrono::steady_clock::now() + timeout;
  while (true) {
    auto allowed = ask_about_group(client, group, timeout);
    if (allowed || allowed.error().code != ErrorCode::Unavailable) return allowed;
    if (std::chrono::steady_clock::now() > give_up) return allowed;
    std::this_thread::sleep_for(kAskAgain);
  }
}

std::vector<NeededRight> lacking(const std::vector<NeededRight>& needed,
                                 const std::map<std::string, DescribedTopic>& found) {
  std::vector<NeededRight> missing;
  for (const NeededRight& right : needed) {
    const auto topic = found.find(right.name);
    // Whether the settings may be seen is known only by looking at them.
    const bool told = right.operation != KafkaOperation::DescribeConfigs;
    if (told && topic != found.end() && !allows(topic->second.allowed, right.operation))
      missing.push_back(right);
  }
  return missing;
}

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

}  // namespace ba::kafka
