#pragma once
// SPDX-License-Identifier: Apache-2.0
// Sub-agents' jobs: how one begins, and how those that are left end. Any thread.

#include "pipeline/base/error.hpp"
#include "pipeline/base/ids.hpp"
#include "pipeline/core/ledger/sub_agent_records.hpp"
#include "storage/postgres/array_parameter.hpp"
#include "storage/postgres/session.hpp"

namespace ba::storage {

/// Ledger::begin_sub_agent, behind the fence.
Result<SubAgentStanding> begin_sub_agent(Transaction& transaction, IncarnationId self,
                                         const SubAgentOrder& order);

/// The conversations that asked may read what these sub-agents, which have just ended, have made.
void pass_on_artifacts(Transaction& transaction, const BigintArray& sub_agents);

/// Cancels the sub-agents of these jobs, which have just ended, that have not.
void end_sub_agents(Transaction& transaction, const BigintArray& jobs);

}  // namespace ba::storage
