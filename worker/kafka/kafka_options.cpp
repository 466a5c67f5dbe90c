// SPDX-License-Identifier: Apache-2.0
#include "worker/kafka/kafka_options.hpp"

#include <algorithm>
#include <charconv>
#include <initializer_list>
#include <set>

#include "worker/kafka/kafka_bounds.hpp"

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
    "group.protocol",
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

struct NumberCheck {
  std::string_view key;  ///< as the configuration has it, below `kafka`
  std::int64_t value;
  Bounds bounds;
};

Result<void> check(const NumberCheck& number) {
  if (number.bounds.hold(number.value)) return {};
  return invalid_argument(std::string(number.key) + " is " + std::to_string(number.value) +
                          "; it must be " + number.bounds.text());
}

Result<void> check_intake(const KafkaIntakeOptions& intake) {
  using namespace kafka_bounds;
  for (const NumberCheck& number : std::initializer_list<NumberCheck>{
           {"kafka.intake.fetch_records_min", intake.fetch_records_min, kFetchRecordsMin},
           {"kafka.intake.fetch_kilobytes_max", intake.fetch_kilobytes_max, kFetchKilobytesMax},
           {"kafka.intake.record_bytes_max", intake.record_bytes_max, kRecordBytes},
           {"kafka.intake.batch_records_max", intake.batch_records_max, kBatchRecordsMax},
           {"kafka.intake.batch_bytes_max", intake.batch_bytes_max, kBatchBytesMax},
           {"kafka.intake.batch_linger_ms", intake.batch_linger.count(), kLingerMs},
           {"kafka.intake.outstanding_records_max", intake.outstanding_records_max,
            kOutstandingRecordsMax},
           {"kafka.intake.outstanding_bytes_max", intake.outstanding_bytes_max,
            kOutstandingBytesMax},
           {"kafka.intake.commit_interval_ms", intake.commit_interval.count(), kCommitIntervalMs},
           {"kafka.intake.session_timeout_ms", intake.session_timeout.count(), kSessionTimeoutMs},
           {"kafka.intake.poll_interval_max_ms", intake.poll_interval_max.count(),
            kPollIntervalMaxMs}})
    if (auto checked = check(number); !checked) return checked;
  if (intake.poll_interval_max >= intake.session_timeout) return {};
  return invalid_argument("kafka.intake.poll_interval_max_ms is " +
                          std::to_string(intake.poll_interval_max.count()) +
                          "; it must be at least kafka.intake.session_timeout_ms, which is " +
                          std::to_string(intake.session_timeout.count()));
}

Result<void> check_numbers(const KafkaOptions& options) {
  using namespace kafka_bounds;
  const KafkaOutboxOptions& outbox = options.outbox;
  const KafkaTopicSettings& topics = options.topic_settings;
  for (const NumberCheck& number : std::initializer_list<NumberCheck>{
           {"kafka.publisher.transaction_timeout_ms", outbox.transaction_timeout.count(),
            kTransactionTimeoutMs},
           {"kafka.publisher.linger_ms", outbox.linger.count(), kLingerMs},
           {"kafka.publisher.record_bytes_max", outbox.record_bytes_max, kRecordBytes},
           {"kafka.topic_settings.job_partitions", topics.job_partitions, kPartitions},
           {"kafka.topic_settings.result_partitions", topics.result_partitions, kPartitions},
           {"kafka.topic_settings.replication", topics.replication, kReplication},
           {"kafka.topic_settings.results_retention_ms", topics.results_retention.count(),
            kRetentionMs},
           {"kafka.topic_settings.record_bytes_max", topics.record_bytes_max, kRecordBytes},
           {"outbox.shards", topics.shards, kShards},
           {"kafka.request_timeout_ms", options.request_timeout.count(), kRequestTimeoutMs}})
    if (auto checked = check(number); !checked) return checked;
  return check_intake(options.intake);
}

/// What is wrong with one of the brokers ("host", "host:9092", "[::1]:9092", "SSL://host:9093"), or
/// empty.
std::string broker_problem(std::string_view broker) {
  if (const std::size_t scheme = broker.find("://"); scheme != std::string_view::npos)
    broker.remove_prefix(scheme + 3);
  const std::size_t bracket = broker.rfind(']');
  const std::size_t colon = broker.find(':', bracket == std::string_view::npos ? 0 : bracket);
  if (broker.substr(0, colon).empty()) return "names no host";
  if (colon == std::string_view::npos) return "";
  const std::string_view digits = broker.substr(colon + 1);
  int port = 0;
  const auto [end, failure] = std::from_chars(digits.begin(), digits.end(), port);
  const bool whole = failure == std::errc() && end == digits.end();
  return whole && port >= 1 && port <= 65'535 ? "" : "has no port from 1 to 65535";
}

Result<void> check_brokers_list(std::string_view brokers) {
  if (brokers.find('@') != std::string_view::npos)  // not quoted: it could hold a password
    return invalid_argument(
        "kafka.brokers has an \"@\"; give host:port, comma-separated, and who connects in "
        "kafka.properties (sasl.username, sasl.password)");
  for (std::size_t from = 0; from <= brokers.size();) {
    const std::size_t comma = std::min(brokers.find(',', from), brokers.size());
    std::string_view one = brokers.substr(from, comma - from);
    while (!one.empty() && one.front() == ' ') one.remove_prefix(1);
    while (!one.empty() && one.back() == ' ') one.remove_suffix(1);
    if (const std::string problem = broker_problem(one); !problem.empty())
      return invalid_argument("kafka.brokers: \"" + std::string(one) + "\" " + problem +
                              "; give host:port, comma-separated");
    from = comma + 1;
  }
  return {};
}

}  // namespace

Result<void> validate(const KafkaOptions& options) {
  if (options.brokers.empty())
    return invalid_argument("kafka.brokers is not configured; give host:port, comma-separated");
  if (auto checked = check_brokers_list(options.brokers); !checked) return checked;
  if (options.group_id.empty()) return invalid_argument("kafka.group_id is empty");
  if (options.outbox.transactional_id_prefix.empty())
    return invalid_argument("kafka.publisher.transactional_id_prefix is empty");
  if (auto checked = check_topic_names(options.topics); !checked) return checked;
  if (auto checked = check_properties(options.properties); !checked) return checked;
  return check_numbers(options);
}

std::string transactional_id(const KafkaOutboxOptions& options, int shard) {
  return options.transactional_id_prefix + "-" + std::to_string(shard);
}

}  // namespace ba
