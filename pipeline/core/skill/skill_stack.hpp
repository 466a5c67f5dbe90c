#pragma once
// SPDX-License-Identifier: Apache-2.0
// The skills that are active in a conversation, as a call stack: pushed when one is activated,
// popped when it is done, emptied at the end of a round. Values; one thread.

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "pipeline/core/skill/skill_activation.hpp"
#include "pipeline/core/tool/tool.hpp"

namespace ba {

class SkillStack {
 public:
  static constexpr std::size_t kDepthMax = 3;

  /// A validation error, and nothing is pushed, when the skill is active already (looked at first,
  /// as one that activates itself is a cycle too), or when so many are.
  std::optional<ToolError> push(SkillActivation activation);

  /// A validation error, and nothing changes, when it is not the newest one that is active.
  std::optional<ToolError> pop(const std::string& skill, const std::string& activation_id);

  void clear() { active_.clear(); }

  /// What an active skill's modifier says for the whole stack: a tool is allowed when each allows
  /// it (none: nothing restricts them), and the newest one that names a model decides about that.
  std::optional<std::set<std::string>> allowed_tools() const;
  std::string model() const;

  /// From the oldest to the newest.
  const std::vector<SkillActivation>& active() const { return active_; }

  friend bool operator==(const SkillStack&, const SkillStack&) = default;

 private:
  std::string chain() const;
  std::string chain_with_ids() const;

  std::vector<SkillActivation> active_;
};

}  // namespace ba
