// SPDX-License-Identifier: Apache-2.0
#include "worker/kafka/kafka_options.hpp"

#include <algorithm>
#include <charconv>

#include "pipeline/base/setting_problem.hpp"

namespace ba::kafka {
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

void check_topic_names(const KafkaTopics& topics, KeyChecks checks) {
  std::map<std::string, std::string> taken;
  const std::pair<const char*, const std::string&> all[] = {
      {"jobs_high", topics.jobs[static_cast<int>(Lane::High)]},
      {"jobs", topics.jobs[static_cast<int>(Lane::Normal)]},
      {"jobs_batch", topics.jobs[static_cast<int>(Lane::Batch)]},
      {"results", topics.results},
      {"metrics", topics.metrics},
      {"dead_letters", topics.dead_letters},
      {"progress", topics.progress},
      {"receipts", topics.receipts}};
  for (const auto& [key, name] : all) {
    const bool legal =
        !name.empty() && name.size() <= 249 && name != "." && name != ".." &&
        name.find_first_not_of(
            "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-") == name.npos;
    checks.expect(legal, key, "\"" + name + "\"",
                  "the name of a topic: 1 to 249 letters, digits, '.', '_' or '-'");
    const auto [first, added] = taken.emplace(name, key);
    if (!added)
      checks.tell(KeyChecks::Kind::Conflict, key,
                  "\"" + name + "\" is used twice: " + first->second + " has it too");
  }
}

void check_properties(const std::map<std::string, std::string>& properties, KeyChecks checks) {
  for (const auto& [name, value] : properties)
    if (std::find(std::begin(kReserved), std::end(kReserved), name) != std::end(kReserved))
      checks.tell(KeyChecks::Kind::Refused, name, "can't be set: the program sets it itself");
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

void check_brokers(std::string_view brokers, KeyChecks& checks) {
  const auto wrong = [&](const std::string& why) {
    checks.tell(KeyChecks::Kind::NotAllowed, "brokers", why);
  };
  if (brokers.find('@') != std::string_view::npos)  // not quoted: it could hold a password
    return wrong(
        "it has an \"@\"; give host:port, comma-separated, and who connects in kafka.properties "
        "(sasl.username, sasl.password)");
  for (std::size_t from = 0; from <= brokers.size();) {
    const std::size_t comma = std::min(brokers.find(',', from), brokers.size());
    std::string_view one = brokers.substr(from, comma - from);
    while (!one.empty() && one.front() == ' ') one.remove_prefix(1);
    while (!one.empty() && one.back() == ' ') one.remove_suffix(1);
    if (const std::string problem = broker_problem(one); !problem.empty())
      return wrong("\"" + std::string(one) + "\" " + problem + "; give host:port, comma-separated");
    from = comma + 1;
  }
}

}  // namespace

std::vector<SettingProblem> problems_of(const KafkaOptions& options) {
  std::vector<SettingProblem> problems;
  KeyChecks checks(problems, "kafka");
  if (!options.brokers.empty()) check_brokers(options.brokers, checks);
  checks.given(!options.group_id.empty(), "group_id", "the name of a consumer group");
  checks.given(!options.outbox.transactional_id_prefix.empty(), "publisher.transactional_id_prefix",
               "what the names of transactions begin with");
  check_topic_names(options.topics, KeyChecks(problems, "kafka.topics"));
  check_properties(options.properties, KeyChecks(problems, "kafka.properties"));
  const KafkaIntakeOptions& intake = options.intake;
  checks.expect(intake.poll_interval_max >= intake.session_timeout, "intake.poll_interval_max_ms",
                std::to_string(intake.poll_interval_max.count()),
                "at least kafka.intake.session_timeout_ms, which is " +
                    std::to_string(intake.session_timeout.count()));
  return problems;
}

Result<void> validate(const KafkaOptions& options) {
  if (options.brokers.empty())
    return invalid_argument("kafka.brokers is not configured; give host:port, comma-separated");
  return first_of(problems_of(options));
}

std::string transactional_id(const KafkaOutboxOptions& options, int shard) {
  return options.transactional_id_prefix + "-" + std::to_string(shard);
}

}  // namespace ba::kafka
