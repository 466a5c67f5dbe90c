#pragma once
// SPDX-License-Identifier: Apache-2.0
// The configured agent profiles by name, and what a job makes of one. Owned by the process; control
// thread only.

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "pipeline/base/error.hpp"
#include "pipeline/core/conversation/run_profile.hpp"
#include "pipeline/core/skill/skill.hpp"

namespace ba::driver {

class AgentDirectory {
 public:
  /// `windows` has the models a job's `model` field may name, each with its context window.
  AgentDirectory(std::vector<RunProfile> profiles, std::map<std::string, std::int64_t> windows);

  /// The profile the job names (empty: "default"), restricted to the job's model, tools and limits,
  /// with what the model is told of its answer_schema. InvalidArgument, with the names there are,
  /// for an unknown agent, model, tool or skill.
  /// `pinned`: skills that an earlier run of the job has used; they stay as they were.
  Result<RunProfile> profile_for(const Job& job, const SkillSet& pinned = {}) const;

  /// The same tools as a list that other jobs hold already, where there is one.
  ToolSpecList held_once(ToolSpecList tools) const { return lists_.held_once(std::move(tools)); }

  /// From now on, for jobs that begin.
  void offer(SkillOffers skills) { skills_ = std::move(skills); }
  const SkillOffers& skills() const { return skills_; }

  /// By name, as configured.
  const std::map<std::string, RunProfile>& profiles() const { return profiles_; }

 private:
  std::map<std::string, RunProfile> profiles_;
  std::map<std::string, std::int64_t> windows_;  ///< by model, in tokens
  SkillOffers skills_;
  mutable ToolSpecLists lists_;  ///< of the jobs that run
};

}  // namespace ba::driver
