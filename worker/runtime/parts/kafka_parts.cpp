// SPDX-License-Identifier: Apache-2.0
#include "worker/runtime/parts/kafka_parts.hpp"

#include <mutex>
#include <utility>

#include "worker/kafka/access_check.hpp"
#include "worker/kafka/kafka_intake_consumer.hpp"
#include "worker/kafka/topics.hpp"
#include "worker/runtime/parts/worker_basis.hpp"

namespace ba::runtime {
namespace {

constexpr Milliseconds kAccessInterval{15000};

/// Repeats for clients' own threads.
class ToldOnce {
 public:
  std::optional<std::int64_t> tell(std::string_view text) {
    const std::lock_guard lock(mutex_);
    return repeats_.tell(text, std::chrono::steady_clock::now());
  }

 private:
  std::mutex mutex_;
  Repeats repeats_{driver::kRepeatsQuiet};
};

}  // namespace

/// Syslog levels up to 4 (warning) are warnings: what becomes of an error is told by whoever made
/// the call. The rest is only of interest to who looks for it.
kafka::KafkaOptions kafka_with_log(const config::Config& config, Log& log) {
  kafka::KafkaOptions options = config.kafka;
  const auto told = std::make_shared<ToldOnce>();  // shared by all clients with these options
  options.log = [&log, told](int level, std::string_view text) {
    if (level > 4) return log.debug("kafka client", {{"message", text}});
    if (const auto quiet = told->tell(text))
      log.warning("kafka client", {{"message", text}, {"like_it_before", *quiet}});
  };
  return options;
}

Result<void> KafkaParts::check_topics() {
  auto findings = patiently(basis_.log, basis_.health, {"kafka", "Kafka"},
                            [this] { return kafka::verify_for_worker(basis_.config.kafka); });
  if (!findings) return findings.error();
  std::string wrong;
  for (const kafka::TopicFinding& finding : findings.value()) {
    if (finding.status == kafka::TopicStatus::Warning)
      basis_.log.warning("topic", {{"topic", finding.topic}, {"message", finding.message}});
    if (finding.status == kafka::TopicStatus::Wrong)
      wrong += (wrong.empty() ? "" : "; ") + finding.topic + ": " + finding.message;
  }
  if (!wrong.empty()) return invalid_argument(wrong);
  access_watch_ = std::make_unique<kafka::AccessWatch>(
      basis_.config.kafka, kAccessInterval,
      [this](const std::vector<std::string>& lacks) { tell_access(lacks); });
  return {};
}

/// On the watch's thread.
void KafkaParts::tell_access(const std::vector<std::string>& lacks) {
  std::string all;
  for (const std::string& lack : lacks) all += (all.empty() ? "" : "; ") + lack;
  basis_.health.set("kafka_access", lacks.empty(), all);
  if (std::exchange(access_told_, all) == all) return;
  if (lacks.empty())
    basis_.log.info("the brokers allow again what this worker needs");
  else
    basis_.log.error("the brokers deny what this worker needs", {{"error", all}});
}

void KafkaParts::build_transports() {
  transports_ = std::make_unique<kafka::KafkaShardTransports>(
      kafka_with_log(basis_.config, basis_.log), basis_.process.executor);
  used_ = &decorated<ShardTransports>(*transports_, basis_.decorators.transports, decorated_);
}

MakeIntakeConsumer KafkaParts::consumers() {
  return [this, kafka = kafka_with_log(basis_.config, basis_.log)](IntakeEvents events) {
    return kafka::make_intake_consumer(kafka, basis_.process.executor, std::move(events));
  };
}

}  // namespace ba::runtime
