// SPDX-License-Identifier: Apache-2.0
#include "tests/simulation/worker.hpp"

#include <algorithm>

#include "pipeline/core/artifact/artifact_keeper.hpp"
#include "pipeline/core/cache/shared_cache.hpp"
#include "tests/simulation/consumer.hpp"
#include "tests/simulation/counter.hpp"
#include "tests/simulation/skills.hpp"
#include "tests/simulation/watching.hpp"
#include "worker/driver/intake_decoder.hpp"

namespace ba::sim {
namespace {

constexpr Milliseconds kNextLife{200};

ToolRuntimeConfig tool_config() {
  ToolRuntimeConfig config;
  config.retry.initial_delay = Milliseconds(40);
  config.retry.max_delay = Milliseconds(200);
  return config;
}

ArtifactConfig artifact_config() {
  ArtifactConfig config;
  config.cleanup_interval = Milliseconds(150);
  config.rules.settled_after = Milliseconds(50);
  config.rules.max_age = Milliseconds(1000);
  return config;
}

CompressionRules rules_of(const Scenario& scenario) {
  CompressionRules rules;
  rules.refocus.every_steps = 0;
  if (!scenario.on(Fault::LongHistories)) return rules;
  rules.mode = CompressionMode::Summarize;
  rules.threshold_percent = 60;
  rules.keep_recent_rounds = 1;
  rules.refocus.every_steps = 2;
  rules.summary.model = kSummarizer;
  rules.summary.micro_usd_per_1000_tokens = 1'000;
  rules.summary.cost_micro_usd_per_hour = 8'000;  // of a history: some too many
  if (!scenario.on(Fault::NarrowWindow)) return rules;
  rules.threshold_percent = 90;  // of what is configured, which the model doesn't take
  rules.summary.micro_usd_per_1000_tokens = 200;
  return rules;
}

driver::CleanerOptions cleaner_of(const Scenario& scenario) {
  driver::CleanerOptions options;
  options.interval = Milliseconds(200);
  options.pause = Milliseconds(20);
  if (scenario.kept_ms == 0) return options;
  const Milliseconds age(scenario.kept_ms);
  options.rules.jobs = age;
  options.rules.tenants[TenantId(kTenants[1])] = age / 2;
  options.rules.outbox = age;
  options.rules.dead_letters = age;
  options.rules.batch_rows_max = scenario.removed_at_once;
  return options;
}

driver::IncarnationOptions options_of(const Scenario& scenario, int worker) {
  driver::IncarnationOptions options;
  options.identity.worker = "worker-" + std::to_string(worker);
  options.engine.running_max = scenario.running_max;
  options.engine.retried_max = std::max(1, scenario.running_max / 2);
  options.engine.conversation_wait_max = std::chrono::seconds(scenario.conversation_wait_s);
  options.engine.window.jobs_max = scenario.window;
  options.engine.window.waiting_max = scenario.window + 1;
  options.engine.claim_interval = Milliseconds(250);
  options.engine.intake_retry = Milliseconds(100);
  options.publisher.batch_records_max = scenario.outbox_batch;
  options.publisher.poll_interval = Milliseconds(300);
  options.publisher.ownership_interval = Milliseconds(700);
  options.publisher.retry_min = Milliseconds(50);
  options.publisher.retry_max = Milliseconds(400);
  options.publisher.closed_topic_min = Milliseconds(100);
  options.publisher.closed_topic_max = Milliseconds(800);
  options.lease.lease = Milliseconds(scenario.lease_ms);
  options.lease.renew_interval = Milliseconds(scenario.lease_ms / 4);
  options.lease.reap_interval = Milliseconds(scenario.lease_ms / 3);
  options.drain_grace = Milliseconds(400);
  options.publish_grace = Milliseconds(600);
  options.cleaner = cleaner_of(scenario);
  return options;
}

}  // namespace

/// The same for each text. With window_of(), the target is some messages.
class TextMeter final : public TokenMeter {
 public:
  explicit TextMeter(const Scenario& scenario) : tokens_(tokens_of_text(scenario)) {}
  std::int64_t count(const std::string&, std::string_view text) override {
    return text.empty() ? 0 : tokens_;
  }
  std::int64_t margin_millionths(const std::string&) const override { return 1'000'000; }

 private:
  const std::int64_t tokens_;
};

/// No tool here takes SQL.
class NoSql final : public SqlReader {
 public:
  Result<SqlReading> read(std::string_view) const override { return invalid_argument("no SQL"); }
};

/// Everything in one process, in the order of its making.
struct Worker::Parts {
  Parts(Fleet& fleet, Process& process, int worker)
      : ledger(fleet.world, process, fleet.database, fleet.to_ledger, fleet.mutant),
        model(fleet.world, process, fleet.model, fleet.to_model, fleet.checker),
        counter(fleet.world, process, fleet.scenario, fleet.model, fleet.to_model, fleet.checker),
        log(fleet.world, process),
        results({fleet.world, process, fleet.to_ledger}, fleet.results, fleet.mutant),
        artifacts({fleet.world, process, fleet.to_ledger}, fleet.artifacts),
        keeper(artifact_config(), artifacts, process, log),
        cache({}, {results, process, process, fleet.world.dice, log}),
        served(fleet.tool_server, fleet.tool_stage, process, log),
        tools(fleet.tools, tool_config(), process, process, fleet.world.dice),
        agents(fleet.agents),
        transports(fleet.transports, process),
        observer(fleet.world, fleet.checker, process),
        meter(fleet.scenario),
        options(options_of(fleet.scenario, worker)),
        runner{process,
               process,
               ledger,
               model,
               tools,
               fleet.tools,
               agents,
               fleet.publication,
               observer,
               "simulated",
               &process.sub_agents,
               &meter,
               rules_of(fleet.scenario),
               &known_summaries,
               &process.skills,
               nullptr,
               &counter},
        incarnation_parts{
            runner,
            ledger,
            ledger,
            ledger,
            transports,
            [&fleet, &process](IntakeEvents events) -> Result<std::unique_ptr<IntakeConsumer>> {
              return std::unique_ptr<IntakeConsumer>(
                  std::make_unique<Consumer>(fleet.world, process, fleet.group, fleet.to_kafka,
                                             fleet.scenario, fleet.mutant, std::move(events)));
            },
            fleet.topics,
            driver::make_intake_decoder({}, fleet.publication, fleet.topics),
            log,
            observer,
            process} {
    tools.remember({cache, sql});
    tools.keep_artifacts({keeper});
    if (fleet.scenario.on(Fault::Skills)) agents.offer(skill_offers(process.number()));
    if (fleet.scenario.on(Fault::ServedTools)) process.served_tools = &served;
  }

  LedgerClient ledger;
  ModelConnection model;
  CounterConnection counter;
  TraceLog log;
  ResultsConnection results;
  ArtifactConnection artifacts;
  ArtifactKeeper keeper;
  SharedCache cache;
  const NoSql sql;
  ServedTools served;
  ToolRuntime tools;
  driver::AgentDirectory agents;
  Transports transports;
  Observer observer;
  TextMeter meter;
  LocalResults known_summaries{{4, 4096}};
  driver::IncarnationOptions options;
  driver::RunnerPorts runner;
  driver::IncarnationParts incarnation_parts;
  std::unique_ptr<driver::Incarnation> life;
  std::unique_ptr<Timer> next_life;
};

Worker::Worker(Fleet& fleet, int number) : fleet_(fleet), number_(number) {}
Worker::~Worker() = default;

void Worker::start(ProcessTraits traits) {
  traits.worker = number_;
  processes_.push_back(std::make_unique<Process>(fleet_.world, traits, [this] { died(); }));
  process_ = processes_.back().get();
  parts_ = std::make_unique<Parts>(fleet_, *process_, number_);
  draining_ = false;
  fleet_.world.note("started", traits.number, number_);
  process_->post([this] {
    if (process_->served_tools) parts_->served.start();
    begin_life();
  });
}

void Worker::begin_life() {
  parts_->life = std::make_unique<driver::Incarnation>(
      parts_->incarnation_parts, parts_->options, [this](driver::LifeEnd end) { life_ended(end); });
  parts_->life->start();
}

void Worker::life_ended(driver::LifeEnd end) {
  fleet_.world.note("life ended", process_->number(), static_cast<std::int64_t>(end));
  parts_->life.reset();
  process_->incarnation = {};
  if (draining_ || end == driver::LifeEnd::Drained) return exit();
  parts_->next_life = process_->after(kNextLife, [this] { begin_life(); });
}

/// As the program does: connections end in good order.
void Worker::exit() {
  if (!process_->served_tools) return process_->kill();
  parts_->next_life.reset();
  parts_->served.stop([this] { process_->kill(); });
}

void Worker::died() {
  fleet_.group.silent(*process_);
  mark_cache();
  process_->served_tools = nullptr;
  parts_.reset();
}

/// What its cache met.
void Worker::mark_cache() {
  if (!parts_) return;
  const CacheCounters& counters = parts_->cache.counters();
  if (counters.flight_hits > 0) fleet_.world.mark(Mark::FlightJoined);
  if (counters.takeovers > 0) fleet_.world.mark(Mark::FlightTakenOver);
  if (counters.unreachable > 0) fleet_.world.mark(Mark::CacheUnreachable);
}

void Worker::kill() {
  if (running()) process_->kill();
}

void Worker::pause() {
  if (!running()) return;
  process_->pause();
  fleet_.group.silent(*process_);
}

void Worker::resume() {
  if (!running() || !process_->paused()) return;
  if (unaware(fleet_.database.rows())) fleet_.world.mark(Mark::FencedWhilePaused);
  process_->resume();
}

bool Worker::unaware(const FakeLedger& rows) const {
  return running() && process_->incarnation.value != 0 && !rows.alive(process_->incarnation);
}

void Worker::drain() {
  if (!running() || draining_) return;
  fleet_.world.mark(Mark::WorkerDrained);
  draining_ = true;
  process_->post([this] {
    process_->draining = true;
    if (parts_->life) return parts_->life->drain();
    exit();
  });
}

void Worker::jump_wall(Milliseconds by) {
  if (running()) process_->jump(by);
}

}  // namespace ba::sim
