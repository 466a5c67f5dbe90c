#pragma once
// SPDX-License-Identifier: Apache-2.0
// On what terms a sub-agent works: its job, made from the request and the asking job, and its
// profile, cut to what the asking one may. Pure functions.

#include "pipeline/core/conversation/state.hpp"
#include "pipeline/core/sub_agent/sub_agent_host.hpp"
#include "worker/driver/agent_directory.hpp"

namespace ba {
class ToolRegistry;
}  // namespace ba

namespace ba::driver {

struct SubAgentTerms {
  const ConversationState& asking;
  Milliseconds time_left{0};  ///< of the asking job's deadline
  const AgentDirectory& agents;
  WallTime now{};
  const ToolRegistry* registry = nullptr;  ///< null: nothing reads artifacts
};

/// What a model knows a call's sub-agent by: the first 16 digits of the call's idempotency key,
/// unless it is an earlier one.
std::string agent_id_of(const SubAgentRequest& request);

/// Its limits are those of its profile, and at most what the asking job has left; its tools those
/// of its profile, and only those that the asking job is allowed. Of an artifact that comes with
/// the question its id is told where one of those tools reads artifacts, else a part of the data.
std::variant<SubAgentOrder, ToolError> sub_agent_order(const SubAgentRequest& request,
                                                       const SubAgentTerms& terms);

/// Without sub-agents of its own, without what needs more than the bounds have, and without waiting
/// for a person. Its day is that of the asking job.
RunProfile sub_agent_profile(RunProfile profile, const SubAgentBounds& bounds,
                             const ToolRegistry& registry);

}  // namespace ba::driver
