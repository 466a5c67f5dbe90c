// SPDX-License-Identifier: Apache-2.0
#include "tests/simulation/history.hpp"

#include <algorithm>

#include "tests/simulation/person.hpp"
#include "tests/simulation/producers.hpp"
#include "tests/simulation/requester.hpp"
#include "tests/simulation/skills.hpp"

namespace ba::sim {
namespace {

const JobTopics kTopics{"ba.jobs.high", "ba.jobs", "ba.jobs.batch"};

/// After the faults have stopped: leases run out, jobs are taken over, results go out.
constexpr Milliseconds kHealedMax{120'000};
/// After the last request has arrived: what it decided becomes visible.
constexpr Milliseconds kLastMarkers{20};

LinkFaults link(int lost, int answer_lost, int late) {
  LinkFaults faults;
  faults.lost_permille = lost;
  faults.answer_lost_permille = answer_lost;
  faults.late_permille = late;
  return faults;
}

Publication publication_of(const Scenario& scenario) {
  Publication publication;
  publication.outbox_shards = scenario.shards;
  return publication;
}

/// Some messages above what the tools take of it; 0: not known, and nothing is made shorter.
std::int64_t window_of(const Scenario& scenario, const std::vector<ToolSpec>& tools) {
  if (!scenario.on(Fault::LongHistories)) return 0;
  return (static_cast<std::int64_t>(tools.size()) * 3 * 2 + 16) * tokens_of_text(scenario);
}

driver::AgentDirectory agents_of(const Scenario& scenario, const ToolRegistry& tools) {
  RunProfile profile;
  profile.model = kOracle;
  profile.tools = tools.specs({});
  if (!scenario.on(Fault::Skills))
    profile.tools =
        profile.tools.where([](const ToolSpec& tool) { return !is_skill_tool(tool.name); });
  profile.limits.attempts_max = scenario.attempts_max;
  if (scenario.asks_person) profile.on_unknown = OnUnknown::WaitForPerson;
  RunProfile helper = profile;
  helper.name = "helper";
  helper.on_unknown = OnUnknown::TellModel;
  const std::int64_t window = window_of(scenario, profile.tools);
  return driver::AgentDirectory({profile, helper}, {{kOracle, window}, {kElder, window * 9 / 8}});
}

class History {
 public:
  History(const HistoryOptions& options, ToolBox& tools)
      : world_(options.seed, options.print),
        scenario_(draw_scenario(world_.dice, options.reduction)),
        plan_(draw_plan(world_.dice, scenario_)),
        to_ledger_(link(scenario_.strength(Fault::LedgerLost),
                        scenario_.strength(Fault::LedgerAnswerLost),
                        scenario_.strength(Fault::LedgerLate))),
        to_kafka_(link(scenario_.strength(Fault::KafkaLost),
                       scenario_.strength(Fault::KafkaAnswerLost),
                       scenario_.strength(Fault::KafkaLate))),
        to_model_(
            link(scenario_.strength(Fault::ModelLost), scenario_.strength(Fault::ModelLost), 0)),
        to_tools_(link(scenario_.strength(Fault::ToolLost), scenario_.strength(Fault::ToolLost),
                       scenario_.strength(Fault::ToolLost))),
        publication_(publication_of(scenario_)),
        agents_(agents_of(scenario_, tools.registry())),
        checker_(world_, scenario_, plan_),
        database_(world_, scenario_, options.mutant, checker_),
        group_(world_, scenario_, kTopics, checker_),
        producers_(world_, plan_, kTopics, group_, checker_),
        transactions_(world_, checker_),
        model_(world_, scenario_, plan_, checker_),
        transport_stage_{world_,      transactions_,
                         to_kafka_,   options.mutant,
                         kafka_down_, coordinator_moving_,
                         0,           [this](int shard) { return ledger_state(shard); }},
        tool_stage_{world_, scenario_, checker_, to_tools_, options.mutant},
        tool_server_(tool_stage_, scenario_),
        results_(world_, database_),
        artifacts_(world_, database_, options.mutant),
        fleet_{world_,       scenario_,  options.mutant,   checker_,         database_,
               group_,       model_,     transport_stage_, tools.registry(), agents_,
               publication_, kTopics,    to_ledger_,       to_kafka_,        to_model_,
               results_,     artifacts_, tool_server_,     tool_stage_},
        nemesis_(fleet_, {database_, group_, producers_, transactions_, checker_, tool_server_,
                          kafka_down_, coordinator_moving_}),
        person_(world_, database_, checker_, tool_stage_, nemesis_),
        requester_(world_, scenario_, database_) {
    to_tools_.timeout = Microseconds(300'000);
    to_model_.timeout = Microseconds(1'000'000);
    to_kafka_.timeout = Microseconds(120'000);
    to_kafka_.late_max = Microseconds(300'000);
    checker_.watch(database_, group_);
    producers_.watch(database_);
    tools.set_stage(&tool_stage_);
  }

  ~History() { world_.close(); }

  Verdict run() {
    producers_.begin();
    nemesis_.begin();
    if (scenario_.asks_person) person_.begin();
    if (scenario_.on(Fault::JobControl)) requester_.begin();
    const SteadyTime healing = world_.now() + Milliseconds(scenario_.disturbed_ms);
    run_until(healing, false);
    heal();
    const SteadyTime healed = world_.now();
    run_until(healed + kHealedMax, true);
    run_until(std::max<SteadyTime>(world_.now(), world_.quiet_from()) + kLastMarkers, false);
    judge();
    return {checker_.violation(), world_.trace_hash(), world_.marks(), world_.tasks_run(),
            scenario_};
  }

 private:
  void run_until(SteadyTime end, bool until_settled) {
    std::int64_t looked = 0;
    while (checker_.violation().empty() && world_.now() < end) {
      if (until_settled && ++looked % 16 == 0 && settled()) return;
      if (!world_.run_one()) return;
    }
  }

  bool settled() const { return producers_.idle() && checker_.settled(); }

  void heal() {
    world_.note("healed");
    for (LinkFaults* faults : {&to_ledger_, &to_kafka_, &to_model_, &to_tools_}) {
      faults->lost_permille = 0;
      faults->answer_lost_permille = 0;
      faults->late_permille = 0;
    }
    database_.calm();
    model_.calm_down();
    tool_stage_.calm = true;
    nemesis_.heal();
    producers_.heal();
    requester_.heal();
  }

  void judge() {
    if (!checker_.violation().empty()) return;
    checker_.check_end();
    if (checker_.violation().empty() && !settled()) checker_.fail("not everything came to its end");
  }

  ShardState ledger_state(int shard) const {
    const FakeShard& row = database_.rows().shards().at(static_cast<std::size_t>(shard));
    return {shard, row.assigned_batch, row.published_batch};
  }

  World world_;
  Scenario scenario_;
  Plan plan_;
  LinkFaults to_ledger_;
  LinkFaults to_kafka_;
  LinkFaults to_model_;
  LinkFaults to_tools_;
  bool kafka_down_ = false;
  bool coordinator_moving_ = false;
  Publication publication_;
  driver::AgentDirectory agents_;
  Checker checker_;
  Database database_;
  Group group_;
  Producers producers_;
  Transactions transactions_;
  Model model_;
  TransportStage transport_stage_;
  ToolStage tool_stage_;
  ToolServer tool_server_;
  SharedResults results_;
  KeptArtifacts artifacts_;
  Fleet fleet_;
  Nemesis nemesis_;
  Person person_;
  Requester requester_;
};

}  // namespace

Verdict run_history(const HistoryOptions& options, ToolBox& tools) {
  leave_out(options.mutant);
  History history(options, tools);
  return history.run();
}

}  // namespace ba::sim
