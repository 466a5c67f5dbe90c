#pragma once
// SPDX-License-Identifier: Apache-2.0
// Which faults a history has and how strong they are ("swarm": each is on in some histories only),
// and its odd sizes. Everything follows from the seed; a replay may switch kinds off. Values.

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tests/simulation/dice.hpp"

namespace ba::sim {

enum class Fault {
  LedgerLost,        ///< a request never reaches PostgreSQL
  LedgerAnswerLost,  ///< committed, and nobody hears of it
  LedgerLate,        ///< arrives after the sender gave up, maybe after its successor
  LedgerRefused,     ///< deadlock, serialization failure, disk full, cut connection
  LedgerSlow,        ///< transactions that stay open for a long time
  LedgerCrash,       ///< what is open is lost, what is committed stays
  LedgerSetBack,     ///< the database comes back in an earlier state
  LedgerClock,       ///< its clock jumps
  KafkaLost,
  KafkaAnswerLost,
  KafkaLate,  ///< an EndTxn or Produce that arrives in a later transaction
  KafkaCrash,
  CoordinatorMove,
  ReceiptsDeleted,  ///< the receipts topic is deleted and made again
  TopicMadeAgain,   ///< a job topic is deleted and made again
  Rebalance,
  ModelLost,
  ModelSlow,
  ModelFails,
  ToolLost,
  ToolSlow,
  ToolFails,
  Kill,
  KillMidTask,
  Pause,
  Drain,
  ClockDrift,
  WallJump,
  Poison,         ///< jobs that kill whoever runs them
  BadRecord,      ///< records that are no jobs
  ForgedRecord,   ///< that claim to be something of ours, and whose letters Kafka refuses
  Repeat,         ///< records sent twice
  BadReply,       ///< malformed, cut, empty, refused, …
  Unstorable,     ///< a reply that the database refuses
  RecordRefused,  ///< Kafka refuses a record for its size
  Retention,      ///< what is done with is soon removed
  JobControl,     ///< people cancel, pause and resume jobs
  SubAgents,      ///< jobs give work to others
  SharedResults,  ///< jobs ask for the same, and one call gives the answer of all
  Artifacts,      ///< jobs keep results beside their conversation and read them back
  ServedTools,    ///< jobs use the tools of a server
  Skills,         ///< agents have skills, which jobs activate and end
  LongHistories,  ///< conversations outgrow the window: summaries, reminders
  ServerDown,     ///< which is started again, forgets sessions, dies of calls
  TopicClosed,    ///< a topic of results takes nothing for a while
  NarrowWindow,   ///< the model takes less than is configured
  ExactCounts,    ///< its provider can be asked how many tokens it takes a request for
  kCount
};

inline constexpr std::size_t kFaults = static_cast<std::size_t>(Fault::kCount);

std::string_view to_string(Fault fault);  ///< kebab-case

/// Permille of the chances there are; 0: never.
using FaultStrengths = std::array<int, kFaults>;

/// What a replay leaves out; nothing by default.
struct Reduction {
  std::vector<Fault> without;
  int jobs_max = 0;     ///< 0: as the seed says
  int workers_max = 0;  ///< 0: as the seed says
  int disturbances_max = -1;
};

struct Scenario {
  FaultStrengths faults{};
  int workers = 1;
  int jobs = 1;
  int shards = 1;
  int partitions = 1;  ///< of each lane
  int running_max = 4;
  int window = 8;
  int outbox_batch = 4;
  int intake_batch = 4;
  int attempts_max = 3;
  std::int64_t conversation_wait_s = 0;  ///< that a job may wait for; 0: without a limit
  std::int64_t lease_ms = 2000;
  bool asks_person = false;       ///< about calls whose outcome is unknown
  int disturbances = 0;           ///< events of the nemesis
  std::int64_t disturbed_ms = 0;  ///< in how long a time
  std::int64_t kept_ms = 0;       ///< how long the ledger keeps what is done with; 0: for ever
  int removed_at_once = 100;      ///< rows of one batch of retention
  bool calm = false;              ///< nothing goes wrong
  // The server of tools.
  bool served_over_http = false;  ///< else by a child of each process
  bool served_legacy = false;     ///< the protocol's era
  bool server_trusted = false;

  int strength(Fault fault) const { return faults[static_cast<std::size_t>(fault)]; }
  bool on(Fault fault) const { return strength(fault) > 0; }
};

/// As workers and model count: what a provider refuses is never guessed to be less than a thousand.
inline std::int64_t tokens_of_text(const Scenario& scenario) {
  constexpr std::int64_t kMany = 100;
  return scenario.on(Fault::NarrowWindow) ? kMany : 1;
}

Scenario draw_scenario(Dice& dice, const Reduction& reduction);

}  // namespace ba::sim
