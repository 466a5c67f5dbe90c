// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "worker/cli/doctor/check.hpp"
#include "worker/cli/needs.hpp"
#include "worker/kafka/broker_check.hpp"
#include "worker/kafka/topics.hpp"

namespace ba {
namespace {

constexpr Milliseconds kPatience{5'000};

Check check_topic(const TopicFinding& finding) {
  const std::string name = "topic " + finding.topic;
  const std::string remedy = "`ba-agent topics create` makes what is missing";
  switch (finding.status) {
    case TopicStatus::Ok:
    case TopicStatus::Created:
      return passed(name, finding.message.empty() ? "ok" : finding.message);
    case TopicStatus::Warning:
      return warned(name, finding.message, "");
    case TopicStatus::Wrong:
      return failed(name, finding.message, remedy);
  }
  return failed(name, finding.message, remedy);
}

}  // namespace

Checks check_kafka(const Config& config) {
  const char* name = "kafka";
  auto options = kafka_of(config);
  if (!options) return {failed(name, options.error(), "set BA_KAFKA_BROKERS")};
  options->request_timeout = std::min(options->request_timeout, kPatience);
  const auto report = check_brokers(*options, kPatience);
  if (!report) return {failed(name, report.error(), "")};  // it says what to do
  std::string brokers;
  for (const std::string& broker : report->brokers)
    brokers += (brokers.empty() ? "" : ", ") + broker;
  Checks checks{passed(name, "brokers " + brokers)};
  const auto findings = verify_topics(*options);
  if (!findings)
    checks.push_back(failed("topics", findings.error(), "see the brokers' log"));
  else
    for (const TopicFinding& finding : *findings) checks.push_back(check_topic(finding));
  return checks;
}

}  // namespace ba
