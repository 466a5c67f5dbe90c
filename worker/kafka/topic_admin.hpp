#pragma once
// SPDX-License-Identifier: Apache-2.0
// The administrative requests that topics.hpp is made of: create topics, describe them. Blocking,
// bounded by the request timeout; one thread. Inside worker/kafka.

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "pipeline/base/error.hpp"
#include "worker/kafka/admin_requests.hpp"
#include "worker/kafka/topics.hpp"

namespace ba::kafka {

struct FoundTopic {
  DescribedTopic described;
  bool settings_hidden = false;  ///< they may not be seen
  bool gone = false;             ///< it was hidden, and isn't there: not among what is answered
  std::map<std::string, std::string> config;
};

class TopicAdmin {
 public:
  static Result<std::unique_ptr<TopicAdmin>> connect(const KafkaOptions& options);
  virtual ~TopicAdmin() = default;

  /// Creates those that don't exist, waits until the broker shows them, answers with their names.
  virtual Result<std::set<std::string>> create(const std::vector<TopicSpec>& specs) = 0;

  /// Those of `names` that exist, or that may not be seen.
  virtual Result<std::map<std::string, FoundTopic>> describe(
      const std::vector<std::string>& names) = 0;
};

}  // namespace ba::kafka
