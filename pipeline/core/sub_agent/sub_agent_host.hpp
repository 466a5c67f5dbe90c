#pragma once
// SPDX-License-Identifier: Apache-2.0
// Where the tool `task` finds who runs sub-agents: the engine of the life that is on. Values and a
// port; control thread only.

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "pipeline/base/error.hpp"
#include "pipeline/core/ledger/sub_agent_records.hpp"
#include "pipeline/core/tool/chunked_data.hpp"
#include "pipeline/core/tool/tool.hpp"

namespace ba {

// An artifact that a call of `task` gives to its sub-agent: what is told of it in the question. Who
// may read it is the ledger's business, which lends a sub-agent what its asker may read. Pure
// functions; any thread.

/// Of the text that a sub-agent is given whose tools read no artifacts.
struct HandOverLimits {
  std::int64_t inline_bytes_max = 16 * 1024;  ///< longer data is given in part
  std::int64_t preview_bytes = 4 * 1024;      ///< of such a part

  friend bool operator==(const HandOverLimits&, const HandOverLimits&) = default;
};

struct HandedArtifact {
  std::string id;
  std::string summary;     ///< "List with N items. …"
  std::int64_t bytes = 0;  ///< of all of it; 0: not known, `data` was its beginning
  std::string text;        ///< it, or its beginning with how much more there is
  bool in_part = false;

  friend bool operator==(const HandedArtifact&, const HandedArtifact&) = default;
};

/// A tool that reads artifacts, and the parameter that names them.
struct ArtifactTool {
  std::string tool;
  std::string parameter;

  friend bool operator==(const ArtifactTool&, const ArtifactTool&) = default;
};

/// What a sub-agent's question may need of an array that is kept in chunks; more isn't read.
inline constexpr ItemRange kHandedItems{0, 200, 0};

/// `part`: what `data` is of the artifact; none: all of it. Protocol where `data` is no JSON.
Result<HandedArtifact> hand_over(std::string id, std::string_view data,
                                 const std::optional<ItemRange>& part,
                                 const HandOverLimits& limits);

/// The question with what is told of the artifact below it: its id to an agent that has `readers`,
/// else the text.
std::string with_artifact(std::string prompt, const HandedArtifact& artifact,
                          const std::vector<ArtifactTool>& readers);

/// What a call of the tool asks for.
struct SubAgentRequest {
  AskingCall asked_by;
  std::string key;   ///< the call's idempotency key, by which its sub-agent is named
  std::string type;  ///< an agent profile
  std::string description;
  std::string prompt;
  std::string agent_id;                    ///< of the sub-agent to be resumed; empty: a new one
  std::optional<HandedArtifact> artifact;  ///< given with the question
  PermissionLevel permission_max = PermissionLevel::Restricted;
};

struct SubAgentAnswer {
  std::string agent_id;
  std::variant<SubAgentEnd, ToolError> how;  ///< it ran and ended, or never began
};

class SubAgentHost {
 public:
  virtual ~SubAgentHost() = default;

  /// Begins the sub-agent or goes on with it. Answers once, never from inside this call; not at all
  /// when the asking job is to go back: its call then runs again, here or elsewhere. Destroying the
  /// run halts the sub-agent, whose job stays as it is until the asking one ends or goes back.
  [[nodiscard]] virtual std::unique_ptr<ToolRun> start(
      SubAgentRequest request, std::function<void(SubAgentAnswer)> done) = 0;

  /// Halts all of a job, which ends; the value is how many model calls were under way. What one of
  /// them is writing comes to its end first; run::SubAgentsGone says when.
  virtual int halt_all_of(LedgerJobId job) = 0;

  virtual bool any_of(LedgerJobId job) const = 0;
};

/// Where a host stands while there is one.
struct SubAgentDesk {
  SubAgentHost* host = nullptr;
};

}  // namespace ba
