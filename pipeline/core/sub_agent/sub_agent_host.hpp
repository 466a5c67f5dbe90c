#pragma once
// SPDX-License-Identifier: Apache-2.0
// Where the tool `task` finds who runs sub-agents: the engine of the life that is on. Values and a
// port; control thread only.

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <variant>

#include "pipeline/core/ledger/sub_agent_records.hpp"
#include "pipeline/core/sub_agent/handed_artifact.hpp"
#include "pipeline/core/tool/tool.hpp"

namespace ba {

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
