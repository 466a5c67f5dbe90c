// SPDX-License-Identifier: Apache-2.0
#include "worker/kafka/kafka_options.hpp"

#include <algorithm>
#include <set>

namespace ba {
namespace {

/// Set by the program itself, because a guarantee depends on them.
constexpr std::string_view kReserved[] = {
    "acks",
    "auto.offset.reset",
    "bootstrap.servers",
    "client.id",
    "enable.auto.commit",
    "enable.auto.offset.store",
    "enable.gapless.guarantee",
    "enable.idempotence",
    "enable.partition.eof",
    "group.id",
    "isolation.level",
    "max.in.flight",
    "max.in.flight.requests.per.connection",
    "message.send.max.retries",
    "metadata.broker.list",
    "partition.assignment.strategy",
    "request.required.acks",
    "retries",
    "transaction.timeout.ms",
    "transactional.id",
};

std::vector<std::string> all_topics(const KafkaTopics& topics) {
  std::vector<std::string> names(topics.jobs.begin(), topics.jobs.end());
  for (const std::string* name :
       {&topics.results, &topics.metrics, &topics.dead_letters, &topics.progress, &topics.receipts})
    names.push_back(*name);
  return names;
}

Result<void> check_topic_names(const KafkaTopics& topics) {
  std::set<std::string> seen;
  for (const std::string& name : all_topics(topics)) {
    const bool legal =
        !name.empty() && name.size() <= 249 && name != "." && name != ".." &&
        name.find_first_not_of(
            "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-") == name.npos;
    if (!legal)
      return invalid_argument("kafka topic name \"" + name +
                              "\" is not legal: 1 to 249 letters, digits, '.', '_' or '-'");
    if (!seen.insert(name).second)
      return invalid_argument("kafka topic name \"" + name + "\" is used twice");
  }
  return {};
}

Result<void> check_properties(const std::map<std::string, std::string>& properties) {
  for (const auto& [name, value] : properties) {
    if (std::find(std::begin(kReserved), std::end(kReserved), name) != std::end(kReserved))
      return invalid_argument("kafka property \"" + name +
                              "\" can't be set: the program sets it itself");
  }
  return {};
}

Result<void> check_range(std::string_view name, std::int64_t value, std::int64_t least,
                         std::int64_t most) {
  if (value >= least && value <= most) return {};
  return invalid_argument("kafka option " + std::string(name) + " is " + std::to_string(value) +
                          "; it must be " + std::to_string(least) + " to " + std::to_string(most));
}

Result<void> check_limits(const KafkaOptions& options) {
  constexpr std::int64_t kBytesMax = 1'000'000'000;  // librdkafka's own bound
  const KafkaIntakeOptions& intake = options.intake;
  const KafkaTopicSettings& topic = options.topic_settings;
  const std::tuple<std::string_view, std::int64_t, std::int64_t, std::int64_t> checks[] = {
      {"intake.fetch_records_min", intake.fetch_records_min, 1, 10'000'000},
      {"intake.fetch_kilobytes_max", intake.fetch_kilobytes_max, 1, 2'097'151},
      {"intake.record_bytes_max", intake.record_bytes_max, 1'000, kBytesMax},
      {"intake.batch_records_max", intake.batch_records_max, 1, 100'000},
      {"intake.batch_bytes_max", intake.batch_bytes_max, 1, kBytesMax},
      {"intake.batch_linger", intake.batch_linger.count(), 0, 1'000},
      {"intake.outstanding_records_max", intake.outstanding_records_max, 1, 10'000'000},
      {"intake.session_timeout", intake.session_timeout.count(), 1'000, 1'800'000},
      {"intake.poll_interval_max", intake.poll_interval_max.count(), intake.session_timeout.count(),
       86'400'000},
      {"outbox.transaction_timeout", options.outbox.transaction_timeout.count(), 1'000, 900'000},
      {"outbox.linger", options.outbox.linger.count(), 0, 1'000},
      {"outbox.record_bytes_max", options.outbox.record_bytes_max, 1'000, kBytesMax},
      {"topics.shards", topic.shards, 1, 1'024},
      {"topics.job_partitions", topic.job_partitions, 1, 10'000},
      {"topics.result_partitions", topic.result_partitions, 1, 10'000},
      {"topics.replication", topic.replication, 0, 32},
      {"request_timeout", options.request_timeout.count(), 100, 600'000},
  };
  for (const auto& [name, value, least, most] : checks)
    if (auto checked = check_range(name, value, least, most); !checked) return checked;
  return {};
}

}  // namespace

std::optional<OutOfRange> parse_out_of_range(std::string_view text) {
  if (text == "stop") return OutOfRange::Stop;
  if (text == "earliest") return OutOfRange::Earliest;
  return std::nullopt;
}

Result<void> validate(const KafkaOptions& options) {
  if (options.brokers.empty())
    return invalid_argument("kafka brokers are not configured; give host:port, comma-separated");
  if (options.group_id.empty()) return invalid_argument("kafka group_id is empty");
  if (options.outbox.transactional_id_prefix.empty())
    return invalid_argument("kafka outbox.transactional_id_prefix is empty");
  if (auto checked = check_topic_names(options.topics); !checked) return checked;
  if (auto checked = check_properties(options.properties); !checked) return checked;
  return check_limits(options);
}

std::string transactional_id(const KafkaOutboxOptions& options, int shard) {
  return options.transactional_id_prefix + "-" + std::to_string(shard);
}

}  // namespace ba
