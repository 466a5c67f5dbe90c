#pragma once
// SPDX-License-Identifier: Apache-2.0
// Section `agents`: profiles by name. A job names one; "default" is there even when nobody
// configured it. Values.

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "pipeline/base/setting_problem.hpp"
#include "pipeline/base/time_zone.hpp"
#include "pipeline/core/conversation/run_profile.hpp"
#include "pipeline/core/sub_agent/task_tool.hpp"
#include "pipeline/core/tool/tool.hpp"

namespace ba::settings {
class SectionReader;
}  // namespace ba::settings

namespace ba::config {

struct AgentProfile {
  std::string description;                     ///< what it is for, as an asking model reads it
  std::string model;                           ///< a configured model; empty: llm.default_model
  std::string system_prompt;                   ///< empty: the built-in one
  std::vector<std::string> tools;              ///< names; "*" is every configured tool
  std::vector<std::string> sub_agents;         ///< agents that it may give work to
  std::vector<std::string> skills{"*"};        ///< names; "*" is every one that there is
  std::vector<std::string> data_sources{"*"};  ///< that its calls may name; "*": every one
  JobLimits limits;                            ///< 0: what section `limits` says; can only be lower
  std::optional<OutputLevel> output_level;     ///< of tool results; none: each tool's own
  ToolCallSettings tool_settings;              ///< of its calls of single tools
  PermissionLevel permission = PermissionLevel::Default;
  OnUnknown on_unknown = OnUnknown::TellModel;
  std::int64_t max_output_tokens = 0;  ///< of one model call; 0: the model's
  bool tell_time = true;               ///< a job's first question tells its date
  TimeZone time_zone;                  ///< in which that is

  friend bool operator==(const AgentProfile&, const AgentProfile&) = default;
};

using AgentProfiles = std::map<std::string, AgentProfile>;

inline constexpr const char* kDefaultAgent = "default";

/// Who may ask whom; empty: nobody may.
SubAgentTypes sub_agent_types(const AgentProfiles& agents);

/// For each sub-agent that is not there or can't be one.
std::vector<SettingProblem> validate_sub_agents(const AgentProfiles& agents);

void read_agents(settings::SectionReader& root, AgentProfiles& agents);

}  // namespace ba::config
