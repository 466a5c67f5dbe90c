// SPDX-License-Identifier: Apache-2.0
#include "tests/support/crash_points.hpp"

#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "pipeline/core/port/executor.hpp"
#include "tests/support/effect_tools.hpp"
#include "worker/driver/silent_observer.hpp"

namespace ba {
namespace {

constexpr std::array<std::string_view, 19> kPoints{
    "intake_committed", "job_claimed",     "model_in_flight", "reply_received",  "reply_committed",
    "effect_done",      "note_written",    "cache_leads",     "result_cached",   "artifact_kept",
    "tool_finished",    "step_committed",  "sub_agent_begun", "sub_agent_ended", "job_finished",
    "batch_assigned",   "batch_published", "shard_opened",    "summary_written"};

/// How long after a request was handed to the client it has certainly left.
constexpr Milliseconds kRequestLeaves{100};

struct CrashPlan {
  std::string point;
  int times_left = 0;
  int signal = SIGKILL;

  void reached(std::string_view at) {
    if (at != point || times_left == 0 || --times_left > 0) return;
    std::fprintf(stderr, "crash point %s\n", point.c_str());
    ::kill(::getpid(), signal);
  }
};

/// What BA_CRASH_HOW asks for.
int signal_of(const char* how) {
  const std::string_view text = how && *how ? how : "kill";
  if (text == "kill") return SIGKILL;
  if (text == "stop") return SIGSTOP;
  std::fprintf(stderr, "BA_CRASH_HOW=%s: it is kill or stop\n", how);
  std::exit(2);
}

CrashPlan& plan() {
  static CrashPlan the_plan = [] {
    CrashPlan read;
    const char* text = std::getenv("BA_CRASH_AT");
    if (!text || !*text) return read;
    read.point = text;
    read.times_left = 1;
    read.signal = signal_of(std::getenv("BA_CRASH_HOW"));
    if (const auto colon = read.point.find(':'); colon != std::string::npos) {
      read.times_left = std::atoi(read.point.c_str() + colon + 1);
      read.point.resize(colon);
    }
    for (const std::string_view known : kPoints)
      if (known == read.point && read.times_left > 0) return read;
    std::fprintf(stderr, "BA_CRASH_AT=%s is no crash point\n", text);
    std::exit(2);
  }();
  return the_plan;
}

class CrashingObserver final : public driver::SilentObserver {
 public:
  void taken_in(const driver::IntakeSummary&) override { plan().reached("intake_committed"); }
  void job_started(const ConversationState& state) override {
    plan().reached(state.claim.asked_by ? "sub_agent_begun" : "job_claimed");
  }
  void summary_ended(const ConversationState&, const std::string&, const SummaryRow&) override {
    plan().reached("summary_written");
  }
  void model_answered(const ConversationState&, const ModelReply&) override {
    plan().reached("reply_received");
  }
  void tool_started(const ConversationState&, const CallState&) override {
    plan().reached("reply_committed");
  }
  void tool_finished(const ConversationState&, const CallState&, const ToolResult&) override {
    plan().reached("tool_finished");
  }
  void committed(const ConversationState&, const Delta&) override {
    plan().reached("step_committed");
  }
  void job_finished(const ConversationState& state, const JobResult&) override {
    plan().reached(state.claim.asked_by ? "sub_agent_ended" : "job_finished");
  }
};

class CrashingModels final : public ModelClient {
 public:
  CrashingModels(ModelClient& inner, Executor& executor) : inner_(inner), executor_(executor) {}

  std::unique_ptr<ModelCall> ask(const ModelRequest& request, ModelListener listener) override {
    auto timer = executor_.after(kRequestLeaves, [] { plan().reached("model_in_flight"); });
    return std::make_unique<Call>(std::move(timer), inner_.ask(request, std::move(listener)));
  }

 private:
  struct Call final : ModelCall {
    Call(std::unique_ptr<Timer> t, std::unique_ptr<ModelCall> c)
        : timer(std::move(t)), call(std::move(c)) {}
    void go_on() override { call->go_on(); }
    bool request_out() const override { return call->request_out(); }
    std::unique_ptr<Timer> timer;
    std::unique_ptr<ModelCall> call;
  };

  ModelClient& inner_;
  Executor& executor_;
};

class CrashingTransports final : public ShardTransports {
 public:
  explicit CrashingTransports(ShardTransports& inner) : inner_(inner) {}
  std::unique_ptr<ShardTransport> create(int shard) override {
    return std::make_unique<Transport>(inner_.create(shard));
  }

 private:
  class Transport final : public ShardTransport {
   public:
    explicit Transport(std::unique_ptr<ShardTransport> inner) : inner_(std::move(inner)) {}
    void open(Completion<std::optional<std::int64_t>> done) override {
      inner_->open([done = std::move(done)](Result<std::optional<std::int64_t>> receipt) {
        if (receipt) plan().reached("shard_opened");
        done(std::move(receipt));
      });
    }
    void send(OutboxBatch batch, Completion<bool> done) override {
      plan().reached("batch_assigned");
      inner_->send(std::move(batch), [done = std::move(done)](Result<bool> result) {
        if (result) plan().reached("batch_published");
        done(std::move(result));
      });
    }

    std::optional<RefusedRecord> refused() const override { return inner_->refused(); }

   private:
    std::unique_ptr<ShardTransport> inner_;
  };

  ShardTransports& inner_;
};

class CrashingCache final : public CacheStore {
 public:
  explicit CrashingCache(CacheStore& inner) : inner_(inner) {}

  void ask(CacheQuestion question, CacheOwner owner, Milliseconds lease,
           Completion<StoreAnswer> done) override {
    inner_.ask(std::move(question), owner, lease,
               [done = std::move(done)](Result<StoreAnswer> answer) {
                 if (answer && std::holds_alternative<FlightTaken>(answer.value()))
                   plan().reached("cache_leads");
                 done(std::move(answer));
               });
  }
  void keep(CacheQuestion question, CacheOwner owner, ResultToStore result,
            Completion<void> done) override {
    inner_.keep(std::move(question), owner, std::move(result),
                [done = std::move(done)](Result<void> kept) {
                  if (kept) plan().reached("result_cached");
                  done(std::move(kept));
                });
  }
  void give_up(std::vector<std::string> keys, CacheOwner owner, Completion<void> done) override {
    inner_.give_up(std::move(keys), owner, std::move(done));
  }
  void renew(std::vector<std::string> keys, CacheOwner owner, Milliseconds lease,
             Completion<void> done) override {
    inner_.renew(std::move(keys), owner, lease, std::move(done));
  }
  void count_hits(std::vector<std::pair<std::string, std::int64_t>> hits,
                  Completion<void> done) override {
    inner_.count_hits(std::move(hits), std::move(done));
  }
  void clean(CacheBounds bounds, Completion<CacheCleaning> done) override {
    inner_.clean(bounds, std::move(done));
  }

 private:
  CacheStore& inner_;
};

class CrashingArtifacts final : public ArtifactStore {
 public:
  explicit CrashingArtifacts(ArtifactStore& inner) : inner_(inner) {}

  void keep(Artifact artifact, Completion<ArtifactKept> done) override {
    inner_.keep(std::move(artifact), [done = std::move(done)](Result<ArtifactKept> kept) {
      if (kept) plan().reached("artifact_kept");
      done(std::move(kept));
    });
  }
  void put(ArtifactChunk chunk, Completion<void> done) override {
    inner_.put(std::move(chunk), std::move(done));
  }
  void read(ArtifactQuestion question, Completion<ArtifactData> done) override {
    inner_.read(std::move(question), std::move(done));
  }
  void clean(ArtifactRules rules, Completion<ArtifactCleaning> done) override {
    inner_.clean(rules, std::move(done));
  }

 private:
  ArtifactStore& inner_;
};

}  // namespace

runtime::Decorators crash_decorators() {
  runtime::Decorators decorators;
  if (const char* journal = std::getenv("BA_EFFECTS_JOURNAL"); journal && *journal) {
    decorators.tools = [path = std::string(journal)](ToolRegistry& registry, Executor& executor) {
      return add_effect_tools(registry, executor, path, [] { plan().reached("effect_done"); });
    };
  }
  if (plan().point.empty()) return decorators;
  decorators.observer = [] { return std::make_unique<CrashingObserver>(); };
  decorators.models = [](ModelClient& inner, Executor& executor) {
    return std::make_unique<CrashingModels>(inner, executor);
  };
  decorators.transports = [](ShardTransports& inner) {
    return std::make_unique<CrashingTransports>(inner);
  };
  decorators.cache = [](CacheStore& inner) { return std::make_unique<CrashingCache>(inner); };
  decorators.artifacts = [](ArtifactStore& inner) {
    return std::make_unique<CrashingArtifacts>(inner);
  };
  return decorators;
}

}  // namespace ba
