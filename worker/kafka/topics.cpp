// SPDX-License-Identifier: Apache-2.0
#include "worker/kafka/topics.hpp"

#include <algorithm>

#include "worker/kafka/needed_rights.hpp"
#include "worker/kafka/topic_admin.hpp"

namespace ba::kafka {
namespace {

using Found = std::map<std::string, FoundTopic>;

std::string milliseconds(Milliseconds span) { return std::to_string(span.count()); }

TopicFinding wrong(const TopicSpec& spec, std::string message) {
  return {spec.name, TopicStatus::Wrong, std::move(message), ""};
}

/// Why the partitions are not right, or empty.
TopicFinding check_partitions(const TopicSpec& spec, const FoundTopic& found, bool exactly) {
  const int partitions = found.described.partitions;
  const std::string has = "topic " + spec.name + " has " + std::to_string(partitions) +
                          " partitions, wanted " + std::to_string(spec.partitions);
  if (exactly && partitions != spec.partitions)
    return wrong(spec, has + ", one for each outbox shard: set outbox.shards to " +
                           std::to_string(partitions) +
                           ", or add partitions with the broker's tools");
  if (partitions < spec.partitions)
    return {spec.name, TopicStatus::Warning,
            has + ": fewer workers can share the work; add partitions with the broker's tools", ""};
  return {spec.name, TopicStatus::Ok, "", ""};
}

TopicFinding check_setting(const TopicSpec& spec, const FoundTopic& found, const std::string& name,
                           TopicStatus severity) {
  const auto wanted = spec.config.find(name);
  const auto value = found.config.find(name);
  if (wanted == spec.config.end() || value == found.config.end() || value->second == wanted->second)
    return {spec.name, TopicStatus::Ok, "", ""};
  return {spec.name, severity,
          "topic " + spec.name + " has " + name + "=" + value->second + ", wanted " +
              wanted->second + ": change it with the broker's tools",
          ""};
}

/// Each right on the topic that the client lacks and needs.
void find_lacks(const TopicSpec& spec, const FoundTopic& found, const KafkaOptions& options,
                TopicUse use, std::vector<TopicFinding>& findings) {
  const NeededRight sight{KafkaResource::Topic, spec.name, KafkaOperation::Describe};
  const NeededRight settings{KafkaResource::Topic, spec.name, KafkaOperation::DescribeConfigs};
  std::vector<NeededRight> needed{sight};
  if (use == TopicUse::Worker) needed = topic_rights_of_worker(options);
  auto lacks = lacking(needed, {{spec.name, found.described}});
  if (found.settings_hidden) lacks.push_back(settings);
  for (const NeededRight& lack : lacks)
    findings.push_back({spec.name, TopicStatus::Wrong, lack_text(lack, options),
                        "give it with " + grant_text(lack, options)});
}

void verify_settings(const TopicSpec& spec, const FoundTopic& found, bool receipts,
                     std::vector<TopicFinding>& findings) {
  // A compacted receipts topic keeps the last receipt for ever; a deleted one would stop the
  // shards.
  const TopicFinding checks[] = {
      check_partitions(spec, found, receipts),
      check_setting(spec, found, "cleanup.policy",
                    receipts ? TopicStatus::Wrong : TopicStatus::Warning),
      check_setting(spec, found, "max.message.bytes", TopicStatus::Warning)};
  for (const TopicFinding& finding : checks)
    if (finding.status != TopicStatus::Ok) findings.push_back(finding);
}

void verify_one(const TopicSpec& spec, const Found& found, const KafkaOptions& options,
                TopicUse use, std::vector<TopicFinding>& findings) {
  const auto topic = found.find(spec.name);
  if (topic == found.end()) {
    findings.push_back(
        wrong(spec, "topic " + spec.name + " does not exist: run `ba-agent topics create`"));
    return;
  }
  const std::size_t before = findings.size();
  find_lacks(spec, topic->second, options, use, findings);
  if (!topic->second.described.hidden && !topic->second.settings_hidden)
    verify_settings(spec, topic->second, spec.name == options.topics.receipts, findings);
  if (findings.size() == before) findings.push_back({spec.name, TopicStatus::Ok, "", ""});
}

Result<std::vector<TopicFinding>> verify_with(TopicAdmin& admin, const KafkaOptions& options,
                                              TopicUse use) {
  const std::vector<TopicSpec> specs = wanted_topics(options);
  std::vector<std::string> names;
  for (const TopicSpec& spec : specs) names.push_back(spec.name);
  auto found = admin.describe(names);
  if (!found) return found.error();
  std::vector<TopicFinding> findings;
  for (const TopicSpec& spec : specs) verify_one(spec, *found, options, use, findings);
  return findings;
}

}  // namespace

std::vector<TopicSpec> wanted_topics(const KafkaOptions& options) {
  const KafkaTopics& topics = options.topics;
  const KafkaTopicSettings& wanted = options.topic_settings;
  const std::string bytes = std::to_string(wanted.record_bytes_max);
  const std::map<std::string, std::string> kept{
      {"cleanup.policy", "delete"},
      {"retention.ms", milliseconds(wanted.results_retention)},
      {"max.message.bytes", bytes}};
  const std::map<std::string, std::string> brief{
      {"cleanup.policy", "delete"},
      {"retention.ms", milliseconds(std::chrono::hours(24))},
      {"max.message.bytes", bytes}};
  // Few, small records, of which the last of each key counts: compact early and keep it short.
  const std::map<std::string, std::string> compacted{{"cleanup.policy", "compact"},
                                                     {"min.cleanable.dirty.ratio", "0.1"},
                                                     {"segment.ms", "3600000"},
                                                     {"segment.bytes", "16777216"}};
  std::vector<TopicSpec> specs;
  for (const std::string& name : topics.jobs) specs.push_back({name, wanted.job_partitions, kept});
  specs.push_back({topics.results, wanted.result_partitions, kept});
  specs.push_back({topics.metrics, wanted.result_partitions, kept});
  specs.push_back({topics.dead_letters, wanted.result_partitions, kept});
  specs.push_back({topics.progress, wanted.result_partitions, brief});
  specs.push_back({topics.receipts, wanted.shards, compacted});
  return specs;
}

bool usable(const std::vector<TopicFinding>& findings) {
  return std::none_of(findings.begin(), findings.end(), [](const TopicFinding& finding) {
    return finding.status == TopicStatus::Wrong;
  });
}

Result<std::vector<TopicFinding>> create_topics(const KafkaOptions& options) {
  auto admin = TopicAdmin::connect(options);
  if (!admin) return admin.error();
  auto created = (*admin)->create(wanted_topics(options));
  if (!created) return created.error();
  auto findings = verify_with(**admin, options, TopicUse::Settings);
  if (!findings) return findings;
  for (TopicFinding& finding : *findings)
    if (finding.status == TopicStatus::Ok && created->contains(finding.topic))
      finding.status = TopicStatus::Created;
  return findings;
}

Result<std::vector<TopicFinding>> verify_topics(const KafkaOptions& options, TopicUse use) {
  auto admin = TopicAdmin::connect(options);
  if (!admin) return admin.error();
  return verify_with(**admin, options, use);
}

}  // namespace ba::kafka
