#pragma once
// SPDX-License-Identifier: Apache-2.0
// A call with everything that decides about it: what was asked for, by whom, and how tools are
// configured. Values.

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "pipeline/core/tool/gate_limits.hpp"
#include "pipeline/core/tool/registry.hpp"
#include "pipeline/core/tool/retry_policy.hpp"
#include "pipeline/core/tool/tool.hpp"
#include "pipeline/text/encoding/encoding.hpp"
#include "pipeline/text/message/message.hpp"
#include "pipeline/text/message/token_estimate.hpp"

namespace ba {

/// Section `tools` of the configuration, as far as it holds for every tool.
struct ToolRuntimeConfig {
  OutputLevel output_level = OutputLevel::Standard;  ///< the global default; of readers it is FULL
  int brief_above_window_percent = 80;               ///< BRIEF when more of the window is used
  int max_input_mb = 10;                             ///< of arguments, as JSON
  std::int64_t observation_bytes_max = 256 * 1024;   ///< what is longer is cut, with a marker
  std::int64_t inline_full_max_bytes = 16 * 1024;    ///< of text at FULL; more is shown in part
  std::int64_t preview_bytes = 4 * 1024;             ///< of such a part
  std::optional<DataEncoding> encoding;  ///< of all results; none: JSON, and `auto` of readers
  bool stable_prefix = false;            ///< see ResultFormat
  ToolRetryPolicy retry;
  GateTable gates;  ///< of tools and data sources

  friend bool operator==(const ToolRuntimeConfig&, const ToolRuntimeConfig&) = default;
};

/// A try that failed, and the one that comes after a wait.
struct ToolRetry {
  int tries = 0;                   ///< so far
  std::optional<ToolError> error;  ///< of the last; none: its outcome is unknown
  Milliseconds delay{0};
  Milliseconds timeout{0};  ///< of the next try
};

/// One call with everything that decides about it.
struct ToolRequest {
  ToolCall call;  ///< as the model sent it, valid or not
  TenantId tenant;
  std::string caller_id;  ///< agent or skill
  PermissionLevel permission = PermissionLevel::Default;
  AllowedTools allowed;  ///< the tools of this agent, job and active skill
  /// What the call may name as its data source, each with the parameter: "data_source:sales".
  /// None: every one.
  std::optional<std::set<std::string>> data_sources;
  LedgerJobId job;
  Position position;
  std::string idempotency_key;              ///< names the call on every attempt and worker
  std::string given_key;                    ///< by the caller; stands for what the call means
  std::optional<CachePolicy> cache_policy;  ///< of this call; none: the tool's
  std::optional<OutputLevel> tool_level;    ///< the agent's of this tool; none: the tool's
  std::optional<OutputLevel> agent_level;   ///< stands for the global default, where given
  std::optional<Milliseconds> timeout;      ///< of its first try; none: the tool's
  bool retry_on_timeout = true;             ///< false, here or in the descriptor: not retried
  std::vector<std::shared_ptr<const Skill>> active_skills;  ///< see ToolInvocation
  std::string skill;            ///< the newest of them, for the telemetry; empty: none is active
  std::string activation_id;    ///< its activation
  double window_used = 0.0;     ///< share of the model's context window in use, 0 to 1
  bool maybe_done = false;      ///< an earlier attempt started it and told no outcome
  std::string begun_version;    ///< of the tool when that attempt had it; empty: as it is now
  bool reads_artifacts = true;  ///< false: no tool that it may call does; no id is told
  bool uncut = false;  ///< a person reads it: at level FULL, observation_bytes_max is no limit
  /// Asked before each try and each question for a status, however long the call has waited before:
  /// false, and nothing more is asked of the tool, nor is there a result. Whoever says so drops the
  /// run, but not from inside. Empty: always.
  std::function<bool()> may_go_on;
  std::function<void(const ToolRetry&)> retrying;  ///< told before each wait; may be empty
  CountTokens count_tokens = estimated_tokens;     ///< for the telemetry
};

/// What an agent has set for its calls of one tool, over what is set for the tool.
struct CallSettings {
  std::optional<OutputLevel> level;         ///< where the model asks for none; none: the tool's
  std::optional<Milliseconds> timeout;      ///< of a call's first try; none: the tool's
  std::optional<CachePolicy> cache_policy;  ///< none: the tool's
  bool retry_on_timeout = true;             ///< false: a try that took too long was the last

  friend bool operator==(const CallSettings&, const CallSettings&) = default;
};

/// By the tool's name.
using ToolCallSettings = std::map<std::string, CallSettings>;

}  // namespace ba
