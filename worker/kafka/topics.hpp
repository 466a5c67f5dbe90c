#pragma once
// SPDX-License-Identifier: Apache-2.0
// The topics the program needs: created with sensible settings, and checked before a worker starts.
// Blocking, bounded by KafkaOptions::request_timeout; any thread but the control thread.

#include <map>
#include <string>
#include <vector>

#include "pipeline/base/error.hpp"
#include "worker/kafka/kafka_options.hpp"

namespace ba::kafka {

struct TopicSpec {
  std::string name;
  int partitions = 1;
  std::map<std::string, std::string> config;
};

/// Every topic with the partitions and settings it should have.
std::vector<TopicSpec> wanted_topics(const KafkaOptions& options);

enum class TopicStatus { Ok, Created, Warning, Wrong };

struct TopicFinding {
  std::string topic;
  TopicStatus status = TopicStatus::Ok;
  std::string
      message;         ///< names the setting or the right, its value, and the remedy; empty when Ok
  std::string remedy;  ///< a command beside the message, where a right is missing
};

/// Whose rights on the topics are looked at.
enum class TopicUse {
  Settings,  ///< who looks at the topics: to see them and their settings
  Worker,    ///< and what a worker does with them
};

/// True when nothing is Wrong.
bool usable(const std::vector<TopicFinding>& findings);

/// Creates what is missing and leaves what exists as it is, then verifies. Safe to repeat.
Result<std::vector<TopicFinding>> create_topics(const KafkaOptions& options);

/// One finding at least for each topic: it exists, may be used, has enough partitions, the receipts
/// topic is compacted and has exactly as many partitions as there are shards.
Result<std::vector<TopicFinding>> verify_topics(const KafkaOptions& options,
                                                TopicUse use = TopicUse::Settings);

}  // namespace ba::kafka
