// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "worker/cli/doctor/check.hpp"
#include "worker/cli/program/needs.hpp"
#include "worker/kafka/access_check.hpp"
#include "worker/kafka/topics.hpp"

namespace ba::cli {
namespace {

constexpr Milliseconds kPatience{5'000};

Check check_topic(const kafka::TopicFinding& finding) {
  const std::string name = "topic " + finding.topic;
  const std::string remedy = "`ba-agent topics create` makes the missing topics";
  switch (finding.status) {
    case kafka::TopicStatus::Ok:
    case kafka::TopicStatus::Created:
      return passed(name, finding.message.empty() ? "ok" : finding.message);
    case kafka::TopicStatus::Warning:
      return warned(name, finding.message, "");
    case kafka::TopicStatus::Wrong:
      return failed(name, finding.message, finding.remedy.empty() ? remedy : finding.remedy);
  }
  return failed(name, finding.message, remedy);
}

Check check_lack(const std::string& name, const Result<std::optional<kafka::AccessLack>>& asked,
                 const std::string& fine) {
  if (!asked) return failed(name, asked.error(), "see the brokers' log");
  if (*asked) return failed(name, (*asked)->message, (*asked)->remedy);
  return passed(name, fine);
}

}  // namespace

Checks check_kafka(const config::Config& config) {
  const char* name = "kafka";
  auto options = kafka_of(config);
  if (!options) return {failed(name, options.error(), "set BA_KAFKA_BROKERS")};
  options->request_timeout = std::min(options->request_timeout, kPatience);
  const auto report = kafka::check_brokers(*options, kPatience);
  if (!report) return {failed(name, report.error(), "")};  // it says what to do
  std::string brokers;
  for (const std::string& broker : report->brokers)
    brokers += (brokers.empty() ? "" : ", ") + broker;
  Checks checks{passed(name, "brokers " + brokers)};
  const auto findings = kafka::verify_topics(*options, kafka::TopicUse::Worker);
  if (!findings)
    checks.push_back(failed("topics", findings.error(), "see the brokers' log"));
  else
    for (const kafka::TopicFinding& finding : *findings) checks.push_back(check_topic(finding));
  checks.push_back(check_lack("group " + options->group_id, kafka::check_group_access(*options),
                              "may be joined"));
  checks.push_back(check_lack("transactions " + options->outbox.transactional_id_prefix,
                              kafka::check_transaction_access(*options), "may be published in"));
  return checks;
}

}  // namespace ba::cli
