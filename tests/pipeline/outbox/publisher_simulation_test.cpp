// SPDX-License-Identifier: Apache-2.0
// Histories of several workers that crash, pause and come back as zombies, over a network that
// loses and delays, and a broker where a late EndTxn ends the wrong transaction. Whatever happens,
// each row is committed exactly once. Each protection left out must be noticed.
//
// BA_SIMULATION_SEED=n runs one history; BA_SIMULATION_HISTORIES=n that many.
#include <gtest/gtest.h>

#include <cstdlib>

#include "pipeline/outbox/publisher.hpp"
#include "tests/support/fake_shard_transport.hpp"
#include "tests/support/outbox_client.hpp"

namespace ba {
namespace {

using namespace std::chrono_literals;

struct Worker {
  Worker(VirtualExecutor& world, OutboxLedger& ledger, FakeKafka& kafka, FakeNetwork& network,
         TransportMutant mutant)
      : thread(world),
        outbox(ledger, network, thread),
        transports(kafka, network, thread, mutant),
        publisher(outbox, transports, thread, options(), {}) {
    transports.wandering_end_permille = 100;
  }

  static PublisherOptions options() {
    PublisherOptions options;
    options.batch_records_max = 4;
    options.ownership_interval = 200ms;
    options.retry_max = 400ms;
    return options;
  }

  WorkerThread thread;
  OutboxClient outbox;
  FakeShardTransports transports;
  Publisher publisher;
  IncarnationId self;
  bool gone = false;
};

class History {
 public:
  History(std::uint64_t seed, TransportMutant mutant) : world_(seed), mutant_(mutant) {
    NetworkFaults& faults = network_.faults();
    faults.delay_max = Milliseconds(1 + world_.random(30));
    faults.lost_request_permille = static_cast<int>(world_.random(60));
    faults.lost_answer_permille = static_cast<int>(world_.random(60));
    faults.late_request_permille = static_cast<int>(world_.random(60));
    kafka_.on_committed = [this](const OutboxRecord& record) {
      if (!seen_.insert(record.result_id).second) fail("committed twice", record);
    };
  }

  /// Empty when every row was committed exactly once, else what went wrong.
  std::string run() {
    for (int i = 0; i < 2; ++i) start_worker();
    for (int step = 0; step < 150 && failure_.empty(); ++step) {
      disturb();
      world_.run_for(Milliseconds(world_.random(40)));
    }
    heal();
    const bool settled =
        world_.run_until([this] { return !failure_.empty() || ledger_.all_published(); }, 60s);
    if (failure_.empty() && ledger_.any_stopped()) failure_ = "a shard was stopped";
    if (failure_.empty() && !settled) failure_ = "rows are left";
    if (failure_.empty() && seen_.size() != rows_) failure_ = "rows are lost";
    return failure_;
  }

  int crashes = 0;
  int zombies = 0;
  std::int64_t tainted = 0;

 private:
  void disturb() {
    for (std::uint64_t i = world_.random(4); i > 0; --i) add_row();
    const std::uint64_t dice = world_.random(100);
    if (dice < 4) crash(pick());
    if (dice >= 4 && dice < 8) pause(pick());
    if (dice >= 8 && dice < 11) start_worker();
  }

  void add_row() {
    OutboxRecord record;
    record.shard = static_cast<int>(world_.random(kShards));
    record.result_id = ResultId(std::to_string(++rows_));
    ledger_.add(record);
    for (const auto& worker : workers_)
      if (!worker->gone) worker->publisher.nudge(record.shard);
  }

  void start_worker() {
    if (live() >= 3) return;
    workers_.push_back(std::make_unique<Worker>(world_, ledger_, kafka_, network_, mutant_));
    Worker* worker = workers_.back().get();
    worker->self = ledger_.enter();
    worker->publisher.start(worker->self);
  }

  void crash(Worker* worker) {
    if (!worker) return;
    ++crashes;
    tainted += worker->publisher.counters().tainted;
    worker->gone = true;
    worker->thread.crash();
    die_later(worker);
  }

  /// Its lease runs out while it sleeps; it wakes up and believes that it is still alive.
  void pause(Worker* worker) {
    if (!worker) return;
    ++zombies;
    worker->thread.pause();
    worker->gone = true;
    die_later(worker);
    world_.schedule(Milliseconds(world_.random(1500)), [worker] { worker->thread.resume(); });
  }

  void die_later(Worker* worker) {
    world_.schedule(Milliseconds(world_.random(300)),
                    [this, self = worker->self] { ledger_.die(self); });
  }

  void heal() {
    network_.faults().lost_request_permille = 0;
    network_.faults().lost_answer_permille = 0;
    network_.faults().late_request_permille = 0;
    start_worker();
  }

  Worker* pick() {
    std::vector<Worker*> candidates;
    for (const auto& worker : workers_)
      if (!worker->gone) candidates.push_back(worker.get());
    return candidates.empty() ? nullptr : candidates[world_.random(candidates.size())];
  }

  std::size_t live() const {
    return static_cast<std::size_t>(std::count_if(
        workers_.begin(), workers_.end(), [](const auto& worker) { return !worker->gone; }));
  }

  void fail(const std::string& what, const OutboxRecord& record) {
    if (failure_.empty()) failure_ = "row " + record.result_id.value + " was " + what;
  }

  static constexpr int kShards = 3;
  VirtualExecutor world_;
  TransportMutant mutant_;
  FakeNetwork network_{world_, {}};
  FakeKafka kafka_;
  OutboxLedger ledger_{kShards, world_};
  std::vector<std::unique_ptr<Worker>> workers_;
  std::set<ResultId> seen_;
  std::size_t rows_ = 0;
  std::string failure_;
};

std::uint64_t from_environment(const char* name, std::uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text ? std::strtoull(text, nullptr, 10) : otherwise;
}

TEST(PublisherSimulation, EveryRowIsCommittedExactlyOnce) {
  const std::uint64_t only = from_environment("BA_SIMULATION_SEED", 0);
  const std::uint64_t histories = from_environment("BA_SIMULATION_HISTORIES", 100);
  int crashes = 0;
  int zombies = 0;
  std::int64_t tainted = 0;
  for (std::uint64_t seed = only ? only : 1; seed <= (only ? only : histories); ++seed) {
    History history(seed, TransportMutant::None);
    ASSERT_EQ(history.run(), "") << "seed " << seed;
    crashes += history.crashes;
    zombies += history.zombies;
    tainted += history.tainted;
  }
  std::printf("%d crashes, %d zombies, %lld tainted commits\n", crashes, zombies,
              static_cast<long long>(tainted));
  if (only == 0 && histories >= 100) {
    EXPECT_GT(crashes, 100);
    EXPECT_GT(zombies, 100);
    EXPECT_GT(tainted, 20);
  }
}

class PublisherMutant : public testing::TestWithParam<TransportMutant> {};

TEST_P(PublisherMutant, IsCaught) {
  for (std::uint64_t seed = 1; seed <= 2000; ++seed)
    if (!History(seed, GetParam()).run().empty()) return;
  FAIL() << "no history noticed that the protection is missing";
}

INSTANTIATE_TEST_SUITE_P(Protections, PublisherMutant,
                         testing::Values(TransportMutant::ReceiptOutsideTransaction,
                                         TransportMutant::ReadBeforeInit,
                                         TransportMutant::TaintIgnored),
                         [](const auto& info) {
                           switch (info.param) {
                             case TransportMutant::ReceiptOutsideTransaction:
                               return "ReceiptOutsideTransaction";
                             case TransportMutant::ReadBeforeInit:
                               return "ReadBeforeInit";
                             case TransportMutant::TaintIgnored:
                               return "TaintIgnored";
                             case TransportMutant::None:
                               break;
                           }
                           return "None";
                         });

}  // namespace
}  // namespace ba
