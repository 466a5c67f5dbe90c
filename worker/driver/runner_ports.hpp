#pragma once
// SPDX-License-Identifier: Apache-2.0
// What the run of a job works with.

#include <string>

#include "pipeline/base/time.hpp"
#include "pipeline/core/cache/local_results.hpp"
#include "pipeline/core/context/context_view.hpp"
#include "pipeline/core/conversation/machine.hpp"
#include "pipeline/core/ledger/ledger.hpp"
#include "pipeline/core/model/exact_counter.hpp"
#include "pipeline/core/model/model_client.hpp"
#include "pipeline/core/model/tool_offers.hpp"
#include "pipeline/core/port/clock.hpp"
#include "pipeline/core/port/executor.hpp"
#include "pipeline/core/skill/skill_desk.hpp"
#include "pipeline/core/sub_agent/sub_agent_host.hpp"
#include "pipeline/core/tool/tool_runtime.hpp"
#include "worker/driver/agent_directory.hpp"
#include "worker/driver/run_observer.hpp"

namespace ba::driver {

/// Everything is borrowed and outlives the run.
struct RunnerPorts {
  Executor& executor;
  const Clock& clock;
  Ledger& ledger;
  ModelClient& models;
  ToolRuntime& tools;
  const ToolRegistry& registry;
  const AgentDirectory& agents;
  const Publication& publication;
  RunObserver& observer;
  std::string worker_version;
  SubAgentDesk* sub_agents = nullptr;  ///< null: no tool asks for them
  TokenMeter* meter = nullptr;         ///< null: histories are sent whole
  CompressionRules compression{};
  LocalResults* summaries = nullptr;  ///< that this process knows; null: it remembers none
  SkillDesk* skills = nullptr;        ///< null: no tool asks for them
  ToolOffers* offers = nullptr;       ///< null: each model takes all tools as they are
  ExactCounter* counter = nullptr;    ///< null: no provider is asked, what we count decides
  /// What calls cost; null: that isn't known before they are made.
  const CallPrices* prices = nullptr;
};

/// Pause before a ledger call is repeated that the adapter gave up on.
inline constexpr Milliseconds kLedgerRetry{500};

}  // namespace ba::driver
