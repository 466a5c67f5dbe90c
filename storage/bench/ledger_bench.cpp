// SPDX-License-Identifier: Apache-2.0
// Durable deltas per second: many jobs at once, each appending the two deltas of a step (the
// model's reply with the intent of one call, then the call's outcome) and waiting for each.
// Usage: ba-bench-ledger URL [jobs] [steps] [committers]. Writes into the schema "bench", which it
// drops first.

#include <sys/resource.h>

#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <functional>
#include <mutex>
#include <vector>

#include "pipeline/base/assert.hpp"
#include "storage/migrate.hpp"
#include "storage/postgres/session.hpp"
#include "storage/storage.hpp"

namespace ba::storage {
namespace {

class Loop final : public Executor {
 public:
  void post(std::function<void()> task) override {
    {
      const std::lock_guard lock(mutex_);
      tasks_.push_back(std::move(task));
    }
    changed_.notify_one();
  }
  std::unique_ptr<Timer> after(Milliseconds, std::function<void()>) override { return nullptr; }

  void run_until(const std::function<bool()>& done) {
    while (!done()) {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return !tasks_.empty(); });
      const auto task = std::move(tasks_.front());
      tasks_.pop_front();
      lock.unlock();
      task();
    }
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> tasks_;
};

constexpr std::size_t kReplyBytes = 600;
constexpr std::size_t kObservationBytes = 2000;

std::string text_of(std::size_t bytes, int seed) {
  std::string text;
  unsigned state = static_cast<unsigned>(seed) * 2654435761U + 1;
  while (text.size() < bytes) {
    state = state * 1664525U + 1013904223U;
    text += "carrier ";
    text += std::to_string(state >> 12U);
    text += ", ";
  }
  return text;
}

MessageMeta meta_of_step(int step, int index) {
  MessageMeta meta;
  meta.message_id = message_id(JobId("job"), {0, step, index});
  meta.conversation_id = ConversationId("conversation");
  meta.round_id = "job/0";
  return meta;
}

Delta reply(const ClaimedJob& job, int step) {
  Delta delta;
  delta.job = job.id;
  delta.conversation = job.conversation;
  StepReplied replied;
  replied.step = step;
  replied.message.meta = meta_of_step(step, 0);
  replied.message.text = text_of(kReplyBytes, step);
  ToolCall call;
  call.id = ToolCallId("toolu_01A09q90qw90lq917835lq9");
  call.name = "query_database";
  call.args_json = R"({"sql":"SELECT carrier, count(*) FROM flights GROUP BY carrier"})";
  replied.message.tool_calls = {call};
  replied.message.usage.input_tokens = 1000;
  replied.message.usage.output_tokens = 150;
  replied.stop_reason = "tool_use";
  replied.provider = "anthropic";
  replied.model = "claude";
  replied.provider_request_id = "req_011CSHoEeqs5C35K2UUqR7Fy";
  replied.request_hash = std::string(64, 'a');
  replied.cost_micro_usd = 5250;
  delta.steps.push_back(replied);
  delta.calls_intended.push_back(
      {{0, step, 1}, call.id, call.name, "1.0.0", call.args_json, EffectClass::Pure});
  return delta;
}

Delta outcome(const ClaimedJob& job, int step) {
  Delta delta;
  delta.job = job.id;
  delta.conversation = job.conversation;
  ToolCallFinished finished;
  finished.position = {0, step, 1};
  finished.result.tool_call_id = ToolCallId("toolu_01A09q90qw90lq917835lq9");
  finished.result.data_size_bytes = kObservationBytes;
  finished.message.meta = meta_of_step(step, 1);
  finished.message.tool_call_id = finished.result.tool_call_id;
  finished.message.tool_name = "query_database";
  finished.message.content = text_of(kObservationBytes, step);
  delta.calls_finished.push_back(finished);
  return delta;
}

template <typename T>
T require(Result<T> result, const char* what) {
  if (!result) {
    std::fprintf(stderr, "%s: %s\n", what, result.error().message.c_str());
    std::exit(1);
  }
  return *std::move(result);
}

double cpu_seconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

struct Load {
  int jobs = 200;
  int steps = 20;
};

class Bench {
 public:
  Bench(PgStorage& storage, Loop& loop, Load load) : storage_(storage), loop_(loop), load_(load) {}

  void run() {
    enter();
    claim();
    const auto started = std::chrono::steady_clock::now();
    const double cpu = cpu_seconds();
    const PgStatistics before = storage_.statistics();
    for (const ClaimedJob& job : jobs_) append_reply(job, 1);
    loop_.run_until([this] { return done_ == load_.jobs; });
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - started;
    report(elapsed.count(), cpu_seconds() - cpu, before);
  }

 private:
  void enter() {
    bool entered = false;
    storage_.membership().enter({"bench", "localhost", 1, "0"}, std::chrono::minutes(60),
                                [&](Result<IncarnationId> id) {
                                  self_ = require(id, "enter");
                                  entered = true;
                                });
    loop_.run_until([&] { return entered; });
  }

  void claim() {
    IntakeBatch batch;
    for (int i = 0; i < load_.jobs; ++i) {
      IntakeJob intake;
      intake.job.tenant = TenantId("acme");
      intake.job.job_id = JobId("job-" + std::to_string(i));
      intake.job.conversation_id = ConversationId("talk-" + std::to_string(i));
      intake.payload = text_of(400, i);
      batch.jobs.push_back(intake);
    }
    ClaimRequest request;
    request.jobs_max = load_.jobs;
    bool claimed = false;
    storage_.ledger().intake(self_, batch, request, [&](Result<ClaimAnswer> answer) {
      jobs_ = require(answer, "intake").jobs;
      claimed = true;
    });
    loop_.run_until([&] { return claimed; });
    BA_ASSERT(static_cast<int>(jobs_.size()) == load_.jobs);
  }

  void append_reply(const ClaimedJob& job, int step) {
    if (step > load_.steps) {
      ++done_;
      return;
    }
    storage_.ledger().append(self_, share(reply(job, step)),
                             [this, &job, step](Result<void> answer) {
                               if (!answer) require(Result<int>(answer.error()), "append");
                               append_outcome(job, step);
                             });
  }

  void append_outcome(const ClaimedJob& job, int step) {
    storage_.ledger().append(self_, share(outcome(job, step)),
                             [this, &job, step](Result<void> answer) {
                               if (!answer) require(Result<int>(answer.error()), "append");
                               append_reply(job, step + 1);
                             });
  }

  void report(double seconds, double cpu, const PgStatistics& before) const {
    const PgStatistics after = storage_.statistics();
    const auto deltas = static_cast<double>(after.deltas - before.deltas);
    const auto groups = static_cast<double>(after.delta_transactions - before.delta_transactions);
    std::printf(
        "%.0f deltas in %.2f s: %.0f deltas/s, %.0f steps/s; %.1f deltas per transaction, "
        "%.0f transactions/s; own CPU %.0f us per delta\n",
        deltas, seconds, deltas / seconds, deltas / 2 / seconds, deltas / groups, groups / seconds,
        cpu * 1e6 / deltas);
  }

  PgStorage& storage_;
  Loop& loop_;
  const Load load_;
  IncarnationId self_;
  std::vector<ClaimedJob> jobs_;
  int done_ = 0;
};

void drop_schema(const PgAccess& access) {
  const Stop stop;
  SessionOptions options;
  options.access = access;
  require(Session(options, stop).run([&](Transaction& transaction) -> Result<int> {
    transaction.execute("DROP SCHEMA IF EXISTS " + transaction.quote_name(access.schema) +
                        " CASCADE");
    return 0;
  }),
          "drop");
}

int run(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: %s URL [jobs] [steps] [committers]\n", argv[0]);
    return 2;
  }
  PgOptions options;
  options.access.url = argv[1];
  options.access.schema = "bench";
  Load load;
  if (argc > 2) load.jobs = std::atoi(argv[2]);
  if (argc > 3) load.steps = std::atoi(argv[3]);
  if (argc > 4) options.committers = std::atoi(argv[4]);
  drop_schema(options.access);
  require(migrate(options.access, false), "migrate");
  Loop loop;
  const auto storage = require(open_storage(options, loop), "open");
  Bench(*storage, loop, load).run();
  return 0;
}

}  // namespace
}  // namespace ba::storage

int main(int argc, char** argv) { return ba::storage::run(argc, argv); }
