// SPDX-License-Identifier: Apache-2.0
#include "worker/kafka/needed_rights.hpp"

#include <utility>

namespace ba::kafka {
namespace {

const char* name_of(KafkaOperation operation) {
  switch (operation) {
    case KafkaOperation::Describe:
      return "Describe";
    case KafkaOperation::DescribeConfigs:
      return "DescribeConfigs";
    case KafkaOperation::Read:
      return "Read";
    case KafkaOperation::Write:
      return "Write";
    case KafkaOperation::Create:
      return "Create";
  }
  return "All";
}

std::string property(const KafkaOptions& options, const char* name) {
  const auto found = options.properties.find(name);
  return found == options.properties.end() ? "" : found->second;
}

/// Empty: the login doesn't say (a certificate, a token, nobody).
std::string user_of(const KafkaOptions& options) { return property(options, "sasl.username"); }

std::string resource_text(const NeededRight& right) {
  switch (right.resource) {
    case KafkaResource::Topic:
      return "topic " + right.name;
    case KafkaResource::Group:
      return "group " + right.name;
    case KafkaResource::TransactionalId:
      return "transactional ids that begin with " + right.name;
  }
  return right.name;
}

/// As a shell takes it.
std::string quoted(const std::string& text) {
  const bool plain = text.find_first_not_of(
                         "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                         "0123456789._-:,/@+") == std::string::npos;
  if (plain && !text.empty()) return text;
  std::string all = "'";
  for (const char c : text) all += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return all + "'";
}

std::string resource_options(const NeededRight& right) {
  switch (right.resource) {
    case KafkaResource::Topic:
      return "--topic " + quoted(right.name);
    case KafkaResource::Group:
      return "--group " + quoted(right.name);
    case KafkaResource::TransactionalId:
      return "--transactional-id " + quoted(right.name) + " --resource-pattern-type prefixed";
  }
  return "";
}

}  // namespace

std::vector<NeededRight> topic_rights_of_worker(const KafkaOptions& options) {
  const KafkaTopics& topics = options.topics;
  std::vector<NeededRight> rights;
  const auto add = [&rights](const std::string& topic,
                             std::initializer_list<KafkaOperation> operations) {
    for (const KafkaOperation operation : operations)
      rights.push_back({KafkaResource::Topic, topic, operation});
    rights.push_back({KafkaResource::Topic, topic, KafkaOperation::DescribeConfigs});
  };
  for (const std::string& jobs : topics.jobs) add(jobs, {KafkaOperation::Read});
  for (const std::string* topic : {&topics.results, &topics.metrics, &topics.dead_letters})
    add(*topic, {KafkaOperation::Write});
  if (options.progress)
    add(topics.progress, {KafkaOperation::Write});
  else
    add(topics.progress, {KafkaOperation::Describe});
  add(topics.receipts, {KafkaOperation::Read, KafkaOperation::Write});
  return rights;
}

NeededRight group_right(const KafkaOptions& options) {
  return {KafkaResource::Group, options.group_id, KafkaOperation::Read};
}

NeededRight transactions_right(const KafkaOptions& options) {
  return {KafkaResource::TransactionalId, options.outbox.transactional_id_prefix,
          KafkaOperation::Write};
}

std::string lack_text(const NeededRight& right, const KafkaOptions& options) {
  const std::string user = user_of(options);
  return (user.empty() ? std::string("this client") : "User:" + user) + " has no right " +
         name_of(right.operation) + " on " + resource_text(right);
}

std::string grant_text(const NeededRight& right, const KafkaOptions& options) {
  const std::string user = user_of(options);
  return "`kafka-acls --bootstrap-server " + quoted(options.brokers) + " --add --allow-principal " +
         quoted("User:" + (user.empty() ? "NAME" : user)) + " --operation " +
         name_of(right.operation) + " " + resource_options(right) + "`";
}

Error with_lack(Error error, const NeededRight& right, const KafkaOptions& options) {
  if (error.code != ErrorCode::PermissionDenied) return error;
  error.message += ": " + lack_text(right, options) + "; " + grant_text(right, options);
  return error;
}

Error with_lack_of_reading(Error error, const std::string& topic, const KafkaOptions& options) {
  if (error.detail == "GROUP_AUTHORIZATION_FAILED")
    return with_lack(std::move(error), group_right(options), options);
  if (error.detail != "TOPIC_AUTHORIZATION_FAILED" || topic.empty()) return error;
  return with_lack(std::move(error), {KafkaResource::Topic, topic, KafkaOperation::Read}, options);
}

}  // namespace ba::kafka
