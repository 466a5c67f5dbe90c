#pragma once
// SPDX-License-Identifier: Apache-2.0
// The configured agent profiles by name, and what a job makes of one. Immutable after construction;
// any thread.

#include <map>
#include <string>
#include <vector>

#include "pipeline/base/error.hpp"
#include "pipeline/conversation/run_profile.hpp"

namespace ba {

class AgentDirectory {
 public:
  /// `models` are the names a job's `model` field may take.
  AgentDirectory(std::vector<RunProfile> profiles, std::vector<std::string> models);

  /// The profile the job names (empty: "default"), restricted to the job's model, tools and limits.
  /// InvalidArgument, with the names there are, for an unknown agent, model or tool.
  Result<RunProfile> profile_for(const Job& job) const;

 private:
  std::map<std::string, RunProfile> profiles_;
  std::vector<std::string> models_;
};

}  // namespace ba
