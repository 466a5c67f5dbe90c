#pragma once
// SPDX-License-Identifier: Apache-2.0
// What a job runs as: the agent profile that its `agent` field names, with the limits of the
// configuration and the job's own restrictions applied. Values, fixed for the life of a job's run.

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "pipeline/base/enum_names.hpp"
#include "pipeline/base/time.hpp"
#include "pipeline/base/time_zone.hpp"
#include "pipeline/core/job/job.hpp"
#include "pipeline/core/skill/skill.hpp"
#include "pipeline/core/tool/tool_request.hpp"
#include "pipeline/core/tool/tool_spec_list.hpp"

namespace ba {

/// Limits in force for one job: the smaller of the profile's and the job's.
struct EffectiveLimits {
  int steps_per_round_max = 20;
  int tool_calls_per_step_max = 32;  ///< further calls of a reply are answered, not run
  int answer_repairs_max = 2;        ///< answers of a round that are asked for again
  std::int64_t tokens_max = 2'000'000;
  std::int64_t cost_micro_usd_max = 5'000'000;
  std::int64_t history_bytes_max = 64LL << 20;  ///< of a conversation's texts in memory
  Milliseconds deadline{3'600'000};
  int attempts_max = 3;

  friend bool operator==(const EffectiveLimits&, const EffectiveLimits&) = default;
};

/// Who is asked about a call with effects whose outcome nobody knows.
enum class OnUnknown {
  TellModel,      ///< its observation says so, and the model decides
  WaitForPerson,  ///< the job waits until a person has said what became of it
};

inline constexpr EnumNames<OnUnknown, 2> kOnUnknownNames{
    {{OnUnknown::TellModel, "tell_model"}, {OnUnknown::WaitForPerson, "wait_for_person"}}};

struct RunProfile {
  std::string name = "default";
  std::string model;                        ///< a configured model
  std::string system_prompt;                ///< the same bytes for a whole conversation
  ToolSpecList tools;                       ///< sorted by name
  std::vector<std::string> first_tools;     ///< names: kept before others where they are too many
  std::int64_t context_window = 0;          ///< of the model, in tokens; 0: not known
  std::int64_t max_output_tokens = 0;       ///< of one model call; 0: the model's default
  std::optional<OutputLevel> output_level;  ///< of tool results that nothing else decides
  ToolCallSettings tool_settings;           ///< of its calls of single tools
  PermissionLevel permission = PermissionLevel::Default;
  std::optional<std::set<std::string>> data_sources;  ///< see ToolRequest; none: every one
  OnUnknown on_unknown = OnUnknown::TellModel;
  bool tell_time = true;             ///< the first question tells the job's date
  TimeZone time_zone;                ///< in which that is
  std::optional<WallTime> job_time;  ///< that is told; none: the job's own
  int price_reading = -1;            ///< of the configuration, whose prices count; -1: the newest
  SkillSet skills;                   ///< that the job may use
  std::map<std::string, std::int64_t> windows;  ///< of the models that these switch to, in tokens
  EffectiveLimits limits;

  friend bool operator==(const RunProfile&, const RunProfile&) = default;
};

/// What a sub-agent may have at most: what the asking agent has.
struct SubAgentBounds {
  PermissionLevel permission = PermissionLevel::Default;
  std::optional<std::set<std::string>> data_sources;  ///< none: every one
  std::optional<WallTime> job_time{};                 ///< of the asking job; none: its own
};

/// A job's limits over the profile's: 0 keeps the profile's, anything larger is cut to it.
EffectiveLimits apply_job_limits(EffectiveLimits limits, const JobLimits& job);

}  // namespace ba
