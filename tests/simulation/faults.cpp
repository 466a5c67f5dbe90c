// SPDX-License-Identifier: Apache-2.0
#include "tests/simulation/faults.hpp"

#include <algorithm>

namespace ba::sim {
namespace {

struct Kind {
  std::string_view name;
  int strength_max;       ///< permille
  int on_permille = 300;  ///< share of the histories that have it
};

constexpr std::array<Kind, kFaults> kKinds{{
    {"ledger-lost", 120},
    {"ledger-answer-lost", 120},
    {"ledger-late", 120},
    {"ledger-refused", 150},
    {"ledger-slow", 300},
    {"ledger-crash", 1000},
    {"ledger-set-back", 1000, 60},
    {"ledger-clock", 1000, 100},
    {"kafka-lost", 150},
    {"kafka-answer-lost", 150},
    {"kafka-late", 250},
    {"kafka-crash", 1000},
    {"coordinator-move", 1000, 150},
    {"receipts-deleted", 1000, 60},
    {"topic-made-again", 1000, 100},
    {"rebalance", 1000},
    {"model-lost", 150},
    {"model-slow", 300},
    {"model-fails", 150},
    {"tool-lost", 200},
    {"tool-slow", 300},
    {"tool-fails", 600},
    {"kill", 1000, 400},
    {"kill-mid-task", 600, 350},
    {"pause", 1000, 350},
    {"drain", 1000, 250},
    {"clock-drift", 200, 150},
    {"wall-jump", 1000, 100},
    {"poison", 300, 80},
    {"bad-record", 400, 200},
    {"forged-record", 500, 100},
    {"repeat", 500, 200},
    {"bad-reply", 200, 250},
    {"unstorable", 60, 80},
    {"record-refused", 500, 100},
    {"retention", 1500, 120},
    {"job-control", 900, 250},
    {"sub-agents", 600, 350},
    {"shared-results", 900, 350},
    {"artifacts", 800, 300},
    {"served-tools", 900, 300},
    {"skills", 800, 150},
    {"long-histories", 1000, 300},
    {"server-down", 1000, 600},
    {"topic-closed", 1000, 200},
    {"narrow-window", 1000, 0},  // follows from long-histories
    {"exact-counts", 1, 0},      // likewise, and nothing is drawn for it
}};

void take_out(Scenario& scenario, const Reduction& reduction) {
  for (const Fault fault : reduction.without) scenario.faults[static_cast<std::size_t>(fault)] = 0;
  if (reduction.jobs_max > 0) scenario.jobs = std::min(scenario.jobs, reduction.jobs_max);
  if (reduction.workers_max > 0)
    scenario.workers = std::min(scenario.workers, reduction.workers_max);
  if (reduction.disturbances_max >= 0)
    scenario.disturbances = std::min(scenario.disturbances, reduction.disturbances_max);
}

}  // namespace

std::string_view to_string(Fault fault) { return kKinds.at(static_cast<std::size_t>(fault)).name; }

Scenario draw_scenario(Dice& dice, const Reduction& reduction) {
  Scenario scenario;
  const bool calm = scenario.calm = dice.hit(50);
  for (std::size_t i = 0; i < kFaults; ++i) {
    const int strength = static_cast<int>(dice.between(1, kKinds[i].strength_max));
    const bool goes = !calm || i == static_cast<std::size_t>(Fault::SharedResults);
    if (dice.hit(kKinds[i].on_permille) && goes) scenario.faults[i] = strength;
  }
  // Half of the conversations that outgrow the window outgrow one that nobody knows.
  const int outgrown = scenario.strength(Fault::LongHistories);
  if (outgrown % 2 == 1) scenario.faults[static_cast<std::size_t>(Fault::NarrowWindow)] = outgrown;
  // Half of all of them are counted; where it says what it takes is drawn with it.
  if (outgrown / 2 % 2 == 1)
    scenario.faults[static_cast<std::size_t>(Fault::ExactCounts)] = outgrown / 4 + 1;
  scenario.workers = static_cast<int>(dice.between(1, 3));
  scenario.jobs = static_cast<int>(dice.between(1, 5));
  scenario.shards = static_cast<int>(dice.between(1, 3));
  scenario.partitions = static_cast<int>(dice.between(1, 2));
  scenario.running_max = dice.hit(300) ? 1 : static_cast<int>(dice.between(1, 6));
  scenario.window = dice.hit(300) ? 1 : static_cast<int>(dice.between(2, 12));
  scenario.outbox_batch = static_cast<int>(dice.between(1, 6));
  scenario.intake_batch = static_cast<int>(dice.between(1, 5));
  scenario.attempts_max = static_cast<int>(dice.between(2, 4));
  scenario.lease_ms = dice.hit(300) ? 400 : dice.between(800, 2500);
  scenario.disturbances = calm ? 0 : static_cast<int>(dice.between(0, 10));
  scenario.disturbed_ms = dice.between(500, 5000);
  scenario.asks_person = dice.hit(350);
  scenario.removed_at_once = static_cast<int>(dice.between(1, 4));
  for (bool* either :
       {&scenario.served_over_http, &scenario.served_legacy, &scenario.server_trusted})
    *either = dice.hit(500);
  if (dice.hit(350) && !calm) scenario.conversation_wait_s = dice.between(1, 2);
  // Nobody can know what was published when ledger and receipts are both gone, nor which log an
  // offset speaks of that came back.
  if (scenario.on(Fault::LedgerSetBack))
    for (const Fault fault : {Fault::ReceiptsDeleted, Fault::TopicMadeAgain})
      scenario.faults[static_cast<std::size_t>(fault)] = 0;
  take_out(scenario, reduction);
  if (!scenario.on(Fault::LongHistories))
    for (const Fault fault : {Fault::NarrowWindow, Fault::ExactCounts})
      scenario.faults[static_cast<std::size_t>(fault)] = 0;
  if (!scenario.on(Fault::ServedTools))
    scenario.faults[static_cast<std::size_t>(Fault::ServerDown)] = 0;
  scenario.kept_ms = scenario.strength(Fault::Retention);
  // A job that is sent again after it was removed rightly runs again.
  if (scenario.kept_ms > 0) scenario.faults[static_cast<std::size_t>(Fault::Repeat)] = 0;
  return scenario;
}

}  // namespace ba::sim
