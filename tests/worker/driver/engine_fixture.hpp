#pragma once
// SPDX-License-Identifier: Apache-2.0
// The engine and its runners over the ledger in memory, a scripted model, a tool and virtual time.

#include <gtest/gtest.h>

#include "pipeline/core/tool/output_level.hpp"
#include "pipeline/text/contract/encode_job.hpp"
#include "tests/support/fake_ledger.hpp"
#include "tests/support/fixed_random.hpp"
#include "tests/support/two_step_model.hpp"
#include "worker/driver/engine.hpp"
#include "worker/driver/intake_decoder.hpp"
#include "worker/driver/silent_observer.hpp"

namespace ba::driver {

using namespace std::chrono_literals;

class LookTool final : public Tool, public StatusSource {
 public:
  static constexpr const char* kData = R"({"rows":[{"n":1}]})";

  explicit LookTool(VirtualExecutor& executor) : executor_(executor) {
    descriptor_.name = "look";
    descriptor_.description = "looks";
    descriptor_.parameters_schema = R"({"type":"object","properties":{}})";
    descriptor_.effect = EffectClass::Pure;
  }
  const ToolDescriptor& descriptor() const override { return descriptor_; }
  void describe(std::string text) { descriptor_.description = std::move(text); }
  void effect(EffectClass effect) { descriptor_.effect = effect; }
  void takes_artifacts() {
    descriptor_.name = "read";
    descriptor_.parameters_schema =
        R"({"type":"object","properties":{"artifact_id":{"type":"string","x-artifact":true}}})";
  }
  void has_sources() {
    descriptor_.source_parameter = "db";
    descriptor_.sources = {{"here", "Db here"}, {"there", "Db there"}};
  }
  std::unique_ptr<ToolRun> run(ToolInvocation invocation,
                               std::function<void(RawToolResult)> done) override {
    keys.push_back(invocation.idempotency_key);
    std::string& active = skills.emplace_back();
    for (const auto& skill : invocation.active_skills) active += skill->name + " ";
    return std::make_unique<Run>(executor_.after(takes, [this, done] {
      RawToolResult result;
      result.data = data;
      result.note = note;
      result.outcome_unknown = loses;
      if (fails) result.error = ToolError{ToolErrorType::NotFound, "GONE", "it is gone"};
      done(result);
    }));
  }

  StatusSource* status_source() override {
    return descriptor_.effect == EffectClass::Reconcilable ? this : nullptr;
  }
  std::unique_ptr<ToolRun> status(ToolInvocation invocation,
                                  std::function<void(EffectStatus)> done) override {
    asked.push_back(invocation.idempotency_key);
    return std::make_unique<Run>(executor_.after(10ms, [this, done] {
      EffectStatus status;
      status.verdict = verdict;
      status.result.data = R"({"rows":[{"n":"from the status"}]})";
      done(status);
    }));
  }

  std::vector<std::string> skills;  ///< that were active, of each run: "a b"
  std::vector<std::string> keys;    ///< of each run
  std::vector<std::string> asked;   ///< key of each question for a status
  EffectStatus::Verdict verdict = EffectStatus::Verdict::CannotTell;
  Milliseconds takes{10};
  std::string data = kData;  ///< of each result
  std::string note;          ///< likewise
  bool fails = false;
  bool loses = false;  ///< the answer: nobody knows the outcome

 private:
  struct Run final : ToolRun {
    explicit Run(std::unique_ptr<Timer> t) : timer(std::move(t)) {}
    std::unique_ptr<Timer> timer;
  };
  VirtualExecutor& executor_;
  ToolDescriptor descriptor_;
};

class RecordingSource final : public IntakeSource {
 public:
  void acknowledge(std::size_t records, std::vector<PartitionOffset>) override {
    acknowledged += records;
  }
  void set_paused(std::set<Lane> lanes) override { paused = std::move(lanes); }
  std::size_t acknowledged = 0;
  std::set<Lane> paused;
};

class CountingObserver final : public SilentObserver {
 public:
  void job_started(const ConversationState&) override { ++started; }
  void history_compressed(const ConversationState&, const CompressionEvent&) override {
    ++compressions;
  }
  void tool_finished(const ConversationState&, const CallState& call,
                     const ToolResult& result) override {
    activations.push_back(call.call.name + ": " + result.telemetry.skill + " " +
                          result.telemetry.activation_id);
  }
  int started = 0;
  int compressions = 0;
  std::vector<std::string> activations;  ///< of each call that ended: "look: SKILL ID"
};

inline Error ledger_is_down() {
  Error error;
  error.code = ErrorCode::Unavailable;
  error.retry = Retry::Later;
  return error;
}

constexpr std::int64_t kContextWindow = 100;

class EngineTest : public testing::Test {
 protected:
  EngineTest() { publication_.outbox_shards = 2; }

  AgentDirectory make_agents() {
    auto tool = std::make_unique<LookTool>(executor_);
    tool_ = tool.get();
    EXPECT_TRUE(registry_.add(std::move(tool)));
    RunProfile profile;
    profile.model = "two-step";
    profile.tools = registry_.specs({});
    return AgentDirectory({profile}, {{"two-step", kContextWindow}});
  }

  /// A new incarnation with its engine.
  struct Life {
    IncarnationId id;
    std::unique_ptr<Engine> engine;
    RecordingSource source;
    bool fenced = false;
    bool lease_holds = true;
    bool drained = false;
  };

  std::unique_ptr<Life> begin(int running_max = 10, Milliseconds lease = 10s) {
    auto life = std::make_unique<Life>();
    ledger_.enter({"w", "h", 1, "v"}, lease, [&](auto id) { life->id = id.value(); });
    executor_.run_for(0ms);
    EngineOptions options;
    options.running_max = running_max;
    options.retried_max = 2;
    options.conversation_wait_max = conversation_wait_max_;
    options.window.jobs_max = 8;
    options.window.waiting_max = 60;
    EngineHooks hooks;
    hooks.fenced = [raw = life.get()] {
      raw->fenced = true;
      raw->engine->drop();
    };
    hooks.outbox_written = [](int) {};
    hooks.lease_holds = [raw = life.get()] { return raw->lease_holds; };
    life->engine = std::make_unique<Engine>(ports_, decoder(), options, std::move(hooks));
    life->engine->start(life->id, &life->source);
    return life;
  }

  DecodeRecord decoder() {
    return [this](RawRecord record) -> IntakeRecord {
      if (record.refusal) return make_intake_decoder({}, publication_, {})(std::move(record));
      IntakeJob job;
      job.job.tenant = TenantId("acme");
      job.job.job_id = JobId(record.value);
      job.job.conversation_id = ConversationId(record.key.value_or("job:" + record.value));
      job.job.messages = job_messages_;
      job.job.skills = job_skills_;
      job.job.agent = job_agent_;
      job.payload = encode_job(job.job);
      job.source = record.source;
      return job;
    };
  }

  static std::string look_at(OutputLevel level) {
    ResultFormat format;
    format.level = level;
    return format_result(LookTool::kData, format)->text;
  }

  /// What the model read of the job's first tool call.
  std::string observation(const std::string& id) {
    for (const auto& [position, message] : job(id).messages)
      if (const auto* tool = std::get_if<ToolMessage>(&message)) return tool->content;
    return "none";
  }

  std::vector<RawRecord> records(std::vector<std::string> ids, const std::string& key = "") {
    std::vector<RawRecord> out;
    for (std::string& id : ids) {
      RawRecord record;
      record.source = {"ba.jobs", "", 0, offset_++, 0};
      if (!key.empty()) record.key = key;
      record.value = std::move(id);
      out.push_back(std::move(record));
    }
    return out;
  }

  int finished() const {
    int count = 0;
    for (const auto& [id, job] : ledger_.jobs()) count += job.finished.has_value();
    return count;
  }

  bool control(const std::string& id, JobAction action) {
    return ledger_.control(TenantId("acme"), JobId(id), action).has_value();
  }

  bool run_until_asked(int model_calls) {
    return executor_.run_until([&] { return model_.asked == model_calls; }, 10s);
  }

  /// The worker is gone, with everything it had in memory; another one takes its jobs over.
  std::unique_ptr<Life> taken_over_from(Life& dead, Milliseconds lease = 10s) {
    dead.engine->drop();
    ledger_.expire(dead.id);
    auto life = begin(10, lease);
    ledger_.reap(life->id, [](auto) {});
    return life;
  }

  bool run_until_finished(int jobs, Milliseconds limit = 60s) {
    return executor_.run_until([&] { return finished() == jobs; }, limit);
  }

  const FakeJob& job(const std::string& id) {
    const FakeJob* found = ledger_.find_job(TenantId("acme"), JobId(id));
    EXPECT_NE(found, nullptr) << id;
    return *found;
  }

  VirtualExecutor executor_;
  FakeLedger ledger_{executor_, executor_, 2};
  TwoStepModel model_{executor_};
  FixedRandom random_;
  LookTool* tool_ = nullptr;  ///< the registry's
  ToolRegistry registry_;
  ToolRuntime tools_{registry_, ToolRuntimeConfig{}, executor_, executor_, random_};
  AgentDirectory agents_ = make_agents();
  Publication publication_;
  CountingObserver observer_;
  RunnerPorts ports_{executor_, executor_, ledger_,      model_,    tools_,
                     registry_, agents_,   publication_, observer_, "test"};
  std::chrono::seconds conversation_wait_max_{0};  ///< of lives that begin from now on
  std::int64_t offset_ = 0;
  std::vector<std::string> job_messages_{"how many?"};  ///< of each job that comes from now on
  std::vector<std::string> job_skills_;                 ///< likewise
  std::string job_agent_;                               ///< likewise; empty: the default one
};

}  // namespace ba::driver
