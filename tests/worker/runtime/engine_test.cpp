// SPDX-License-Identifier: Apache-2.0
// The engine and its runners over the ledger in memory, a scripted model and virtual time: the life
// of jobs from record to outbox row, with lost answers, dead incarnations and drains.

#include "worker/runtime/engine.hpp"

#include <gtest/gtest.h>

#include <deque>
#include <map>

#include "ba/v1/dead_letter.pb.h"
#include "pipeline/contract/encode_job.hpp"
#include "pipeline/contract/proto_value.hpp"
#include "pipeline/tool/output_level.hpp"
#include "tests/support/fake_ledger.hpp"
#include "tests/support/fixed_random.hpp"
#include "tests/support/silent_observer.hpp"
#include "tests/support/two_step_model.hpp"

namespace ba {
namespace {

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
  std::unique_ptr<ToolRun> run(ToolInvocation invocation,
                               std::function<void(RawToolResult)> done) override {
    keys.push_back(invocation.idempotency_key);
    return std::make_unique<Run>(executor_.after(10ms, [this, done] {
      RawToolResult result;
      result.data = kData;
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

  std::vector<std::string> keys;   ///< of each run
  std::vector<std::string> asked;  ///< key of each question for a status
  EffectStatus::Verdict verdict = EffectStatus::Verdict::CannotTell;
  bool fails = false;

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
    bool drained = false;
  };

  std::unique_ptr<Life> begin(int running_max = 10, Milliseconds lease = 10s) {
    auto life = std::make_unique<Life>();
    ledger_.enter({"w", "h", 1, "v"}, lease, [&](auto id) { life->id = id.value(); });
    executor_.run_for(0ms);
    EngineOptions options;
    options.running_max = running_max;
    options.retried_max = 2;
    options.window.jobs_max = 8;
    options.window.waiting_max = 60;
    EngineHooks hooks;
    hooks.fenced = [raw = life.get()] {
      raw->fenced = true;
      raw->engine->drop();
    };
    hooks.outbox_written = [](int) {};
    life->engine = std::make_unique<Engine>(ports_, decoder(), options, std::move(hooks));
    life->engine->start(life->id, &life->source);
    return life;
  }

  static DecodeRecord decoder() {
    return [](RawRecord record) -> IntakeRecord {
      IntakeJob job;
      job.job.tenant = TenantId("acme");
      job.job.job_id = JobId(record.value);
      job.job.conversation_id = ConversationId(record.key.value_or("job:" + record.value));
      job.job.messages = {"how many?"};
      job.payload = encode_job(job.job);
      job.source = record.source;
      return job;
    };
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
  SilentObserver observer_;
  RunnerPorts ports_{executor_, executor_, ledger_,      model_,    tools_,
                     registry_, agents_,   publication_, observer_, "test"};
  std::int64_t offset_ = 0;
};

TEST_F(EngineTest, RunsAJobFromItsRecordToItsOutboxRows) {
  auto life = begin();
  life->engine->take(records({"a"}));
  ASSERT_TRUE(run_until_finished(1));
  EXPECT_EQ(life->source.acknowledged, 1u);
  const JobResult& result = job("a").finished->result;
  EXPECT_EQ(result.outcome, Outcome::Completed);
  EXPECT_EQ(result.answers.at(0).text, "the answer");
  EXPECT_EQ(result.totals.steps, 2);
  EXPECT_EQ(result.totals.tool_calls, 1);
  EXPECT_EQ(ledger_.outbox().size(), 2u);
  EXPECT_EQ(model_.asked, 2);
}

TEST_F(EngineTest, TellsEachJobWhatItsToolsSayOfThemselvesByThen) {
  auto life = begin();
  life->engine->take(records({"a"}));
  ASSERT_TRUE(run_until_finished(1));
  EXPECT_EQ(model_.tool_description, "looks");
  tool_->describe("looks at orders(id)");
  life->engine->take(records({"b"}));
  ASSERT_TRUE(run_until_finished(2));
  EXPECT_EQ(model_.tool_description, "looks at orders(id)");
}

TEST_F(EngineTest, RunsJobsOfOneConversationOneAfterTheOther) {
  auto life = begin();
  life->engine->take(records({"a", "b"}, "talk"));
  ASSERT_TRUE(executor_.run_until([&] { return life->engine->running() == 1; }, 5s));
  EXPECT_EQ(life->engine->waiting(), 1);
  ASSERT_TRUE(run_until_finished(2));
  EXPECT_LT(job("a").finished->result.finished_at, job("b").finished->result.finished_at);
  // The second job's model saw the first one's messages.
  EXPECT_EQ(job("b").finished->result.outcome, Outcome::Completed);
}

TEST_F(EngineTest, RunsMoreJobsThanItMayRunAtOnce) {
  auto life = begin(2);
  life->engine->take(records({"a", "b", "c", "d", "e"}));
  ASSERT_TRUE(executor_.run_until([&] { return life->engine->running() == 2; }, 5s));
  ASSERT_TRUE(run_until_finished(5));
}

TEST_F(EngineTest, PausesIntakeAtTheWindowAndResumesBelowIt) {
  auto life = begin(2);
  life->engine->take(records({"a", "b", "c", "d", "e", "f", "g", "h"}));
  ASSERT_TRUE(executor_.run_until([&] { return !life->source.paused.empty(); }, 5s));
  ASSERT_TRUE(run_until_finished(8));
  EXPECT_TRUE(executor_.run_until([&] { return life->source.paused.empty(); }, 5s));
}

TEST_F(EngineTest, TakesARepeatedRecordInOnce) {
  auto life = begin();
  life->engine->take(records({"a", "a"}));
  ASSERT_TRUE(run_until_finished(1));
  executor_.run_for(5s);
  EXPECT_EQ(ledger_.jobs().size(), 1u);
  EXPECT_EQ(model_.asked, 2);
}

TEST_F(EngineTest, LosesNoJobWhenTheAnswerOfTheIntakeIsLost) {
  auto life = begin();
  executor_.run_for(10ms);
  ledger_.lose_next_answer(LedgerCall::Intake);
  life->engine->take(records({"a"}));
  ASSERT_TRUE(run_until_finished(1));
  EXPECT_EQ(life->source.acknowledged, 1u);
  EXPECT_EQ(model_.asked, 2);
}

TEST_F(EngineTest, RepeatsAnAppendWhoseAnswerWasLostWithoutAskingTheModelAgain) {
  auto life = begin();
  ledger_.lose_next_answer(LedgerCall::Append);
  life->engine->take(records({"a"}));
  ASSERT_TRUE(run_until_finished(1));
  EXPECT_EQ(model_.asked, 2);
  EXPECT_EQ(job("a").steps.size(), 2u);
}

TEST_F(EngineTest, ObservationsAreBriefOnceTheContextWindowIsNearlyFull) {
  auto life = begin();
  life->engine->take(records({"roomy"}));
  ASSERT_TRUE(run_until_finished(1));
  model_.input_tokens = kContextWindow * 81 / 100;
  life->engine->take(records({"crowded"}));
  ASSERT_TRUE(run_until_finished(2));
  EXPECT_EQ(observation("roomy"),
            format_result(LookTool::kData, OutputLevel::Standard, 1000)->text);
  EXPECT_EQ(observation("crowded"), format_result(LookTool::kData, OutputLevel::Brief, 1000)->text);
}

TEST_F(EngineTest, WaitsForALedgerThatIsOutOfReach) {
  auto life = begin();
  Error down;
  down.code = ErrorCode::Unavailable;
  down.retry = Retry::Later;
  for (int i = 0; i < 3; ++i) ledger_.fail_next(LedgerCall::Append, down);
  for (int i = 0; i < 3; ++i) ledger_.fail_next(LedgerCall::Load, down);
  life->engine->take(records({"a"}));
  ASSERT_TRUE(run_until_finished(1));
  EXPECT_EQ(model_.asked, 2);
}

TEST_F(EngineTest, EndsAJobWhoseRowsTheLedgerRefusesAndKeepsItsConversationUsable) {
  auto life = begin();
  Error refused;
  refused.code = ErrorCode::InvalidArgument;
  refused.message = "invalid byte sequence";
  ledger_.fail_next(LedgerCall::Append, refused);
  life->engine->take(records({"a", "b"}, "talk"));
  ASSERT_TRUE(run_until_finished(2));
  EXPECT_EQ(job("a").finished->result.outcome, Outcome::Failed);
  EXPECT_EQ(job("a").finished->result.totals.wasted_model_calls, 1) << "its reply was paid";
  EXPECT_TRUE(job("a").messages.empty()) << "nothing refers to the step that was refused";
  EXPECT_EQ(job("b").finished->result.outcome, Outcome::Completed);
}

TEST_F(EngineTest, EndsAJobWhoseRowsCannotBeRead) {
  auto life = begin();
  Error unreadable;
  unreadable.code = ErrorCode::Corrupt;
  unreadable.message = "unknown schema version";
  ledger_.fail_next(LedgerCall::Load, unreadable);
  life->engine->take(records({"a"}));
  ASSERT_TRUE(run_until_finished(1));
  EXPECT_EQ(job("a").finished->result.outcome, Outcome::Failed);
}

TEST_F(EngineTest, AnotherLifeGoesOnWithTheJobsOfADeadOne) {
  auto first = begin();
  first->engine->take(records({"a"}));
  // Into the second model call of the job, then the worker is gone.
  ASSERT_TRUE(executor_.run_until([&] { return model_.asked == 2; }, 10s));
  first->engine->drop();
  ledger_.expire(first->id);
  auto second = begin();
  ledger_.reap(second->id, [](auto) {});
  ASSERT_TRUE(run_until_finished(1));
  const JobResult& result = job("a").finished->result;
  EXPECT_EQ(result.attempts, 2);
  EXPECT_EQ(result.totals.wasted_model_calls, 1);
  EXPECT_EQ(model_.asked, 3) << "paid = persisted (2) + recorded as wasted (1)";
}

TEST_F(EngineTest, ATryThatWasLostStaysCountedWhenTheNextOneIsLostInACrash) {
  model_.losses = 1;
  auto first = begin();
  first->engine->take(records({"a"}));
  ASSERT_TRUE(executor_.run_until([&] { return model_.asked == 2; }, 10s));
  EXPECT_EQ(job("a").wasted_model_calls.at(first->id), 1) << "before the next one was sent";
  first->engine->drop();
  ledger_.expire(first->id);
  auto second = begin();
  ledger_.reap(second->id, [](auto) {});
  ASSERT_TRUE(run_until_finished(1));
  EXPECT_EQ(job("a").finished->result.totals.wasted_model_calls, 2);
  EXPECT_EQ(model_.asked, 4) << "paid = persisted (2) + recorded as wasted (2)";
}

TEST_F(EngineTest, HandsAJobBackInsteadOfRepeatingALostTryInADrain) {
  model_.losses = 1;
  auto life = begin();
  life->engine->take(records({"a"}));
  ASSERT_TRUE(executor_.run_until([&] { return model_.asked == 1; }, 10s));
  life->engine->drain([&] { life->drained = true; });
  ASSERT_TRUE(executor_.run_until([&] { return life->drained; }, 10s));
  EXPECT_EQ(job("a").state, FakeJobState::Ready);
  EXPECT_EQ(model_.asked, 1);
  auto next = begin();
  ASSERT_TRUE(run_until_finished(1));
  EXPECT_EQ(job("a").finished->result.totals.wasted_model_calls, 1);
}

/// The value of the one record for the dead-letter topic.
v1::DeadLetter dead_letter_in(const FakeLedger& ledger) {
  v1::DeadLetter letter;
  int found = 0;
  for (const FakeOutboxRow& row : ledger.outbox()) {
    if (row.record.topic != "ba.dead-letters") continue;
    ++found;
    EXPECT_FALSE(read_proto_value(row.record.value, "", letter));
  }
  EXPECT_EQ(found, 1);
  return letter;
}

TEST_F(EngineTest, PoisonsAJobWhoseLoadCrashesItsWorkers) {
  Error never;
  never.code = ErrorCode::Unavailable;
  never.retry = Retry::Later;
  for (int i = 0; i < 10'000; ++i) ledger_.fail_next(LedgerCall::Load, never);  // as if it crashed
  auto life = begin();
  life->engine->take(records({"a"}, "talk"));
  for (int attempt = 1; attempt <= 3; ++attempt) {
    executor_.run_for(1s);
    ASSERT_EQ(job("a").attempt, attempt);
    life->engine->drop();
    ledger_.expire(life->id);
    life = begin();
    ledger_.reap(life->id, [](auto) {});
  }
  ASSERT_TRUE(run_until_finished(1));
  const JobResult& result = job("a").finished->result;
  EXPECT_EQ(result.outcome, Outcome::Poisoned);
  EXPECT_EQ(result.error->code, "ATTEMPTS_EXHAUSTED");
  const v1::DeadLetter letter = dead_letter_in(ledger_);
  EXPECT_EQ(letter.tenant(), "acme");
  EXPECT_EQ(letter.job_id(), "a");
  EXPECT_EQ(letter.conversation_id(), "talk");
  EXPECT_EQ(letter.attempts(), 4);
  EXPECT_EQ(letter.code(), "ATTEMPTS_EXHAUSTED");
  EXPECT_EQ(letter.value(), job("a").intake.payload) << "can be sent again";
}

TEST_F(EngineTest, APoisonedJobsDeadLetterCarriesItsConversationAndLeavesAValidHistory) {
  auto life = begin();
  life->engine->take(records({"a"}, "talk"));
  // Up to the first reply, with its call intended and no result of it.
  ASSERT_TRUE(executor_.run_until([&] { return model_.asked == 1; }, 10s));
  ASSERT_TRUE(executor_.run_until([&] { return job("a").calls.size() == 1; }, 10s));
  for (int attempt = 1; attempt <= 3; ++attempt) {
    life->engine->drop();
    ledger_.expire(life->id);
    for (int i = 0; i < 4 && attempt < 3; ++i) {
      Error never;
      never.code = ErrorCode::Unavailable;
      never.retry = Retry::Later;
      ledger_.fail_next(LedgerCall::Load, never);
    }
    life = begin();
    ledger_.reap(life->id, [](auto) {});
    executor_.run_for(1s);
  }
  ASSERT_TRUE(run_until_finished(1));
  EXPECT_EQ(job("a").finished->result.outcome, Outcome::Poisoned);
  const v1::DeadLetter letter = dead_letter_in(ledger_);
  ASSERT_EQ(letter.conversation().messages_size(), 2) << "the question and the reply";
  EXPECT_NE(letter.conversation().messages(0).json().find("how many?"), std::string::npos);
  EXPECT_EQ(letter.conversation().unreadable(), "");
  EXPECT_EQ(job("a").calls.begin()->second.state, ToolCallState::Failed);
  EXPECT_EQ(job("a").rounds.at(0).status, RoundStatus::Error);
  // The next job of the conversation finds every call answered.
  life->engine->take(records({"b"}, "talk"));
  ASSERT_TRUE(run_until_finished(2));
  EXPECT_EQ(job("b").finished->result.outcome, Outcome::Completed);
}

TEST_F(EngineTest, APoisonedJobsDeadLetterGoesOutAlsoWhenItsConversationCannotBeRead) {
  auto life = begin();
  Error never;
  never.code = ErrorCode::Unavailable;
  never.retry = Retry::Later;
  for (int i = 0; i < 10'000; ++i) ledger_.fail_next(LedgerCall::Load, never);
  Error unreadable;
  unreadable.code = ErrorCode::Corrupt;
  unreadable.message = "invalid page in block 7";
  ledger_.fail_next(LedgerCall::LoadRemains, unreadable);
  life->engine->take(records({"a"}));
  for (int attempt = 1; attempt <= 3; ++attempt) {
    executor_.run_for(1s);
    life->engine->drop();
    ledger_.expire(life->id);
    life = begin();
    ledger_.reap(life->id, [](auto) {});
  }
  ASSERT_TRUE(run_until_finished(1));
  EXPECT_EQ(job("a").finished->result.outcome, Outcome::Poisoned);
  EXPECT_EQ(dead_letter_in(ledger_).conversation().unreadable(), "invalid page in block 7");
}

TEST_F(EngineTest, EndsAJobWhoseStoredFormCannotBeRead) {
  auto life = begin();
  IntakeBatch batch;
  IntakeJob broken;
  broken.job.tenant = TenantId("acme");
  broken.job.job_id = JobId("x");
  broken.job.conversation_id = ConversationId("talk");
  broken.payload = "\xff\xff no protobuf";
  batch.jobs.push_back(broken);
  ledger_.intake(life->id, std::move(batch), ClaimRequest{}, [](auto) {});
  ASSERT_TRUE(run_until_finished(1));
  const JobResult& result = job("x").finished->result;
  EXPECT_EQ(result.outcome, Outcome::Failed);
  EXPECT_EQ(result.job_id.value, "x");
  EXPECT_EQ(result.error->code, "UNREADABLE_JOB");
  EXPECT_NE(result.error->message.find("acme/x"), std::string::npos);
  EXPECT_EQ(dead_letter_in(ledger_).value(), broken.payload);
  life->engine->take(records({"y"}, "talk"));
  ASSERT_TRUE(run_until_finished(2)) << "its conversation goes on";
}

/// The life of a call with a side effect that its worker does not survive: its start is recorded,
/// its result is not.
class EffectCrashTest : public EngineTest {
 protected:
  void crash_during_the_call(EffectClass effect) {
    tool_->effect(effect);
    life_ = begin();
    life_->engine->take(records({"a"}));
    ASSERT_TRUE(executor_.run_until([&] { return tool_->keys.size() == 1; }, 10s));
    ASSERT_EQ(job("a").calls.begin()->second.state, ToolCallState::Running);
    life_->engine->drop();
    ledger_.expire(life_->id);
    life_ = begin();
    ledger_.reap(life_->id, [](auto) {});
    ASSERT_TRUE(run_until_finished(1));
    EXPECT_EQ(job("a").finished->result.outcome, Outcome::Completed);
    EXPECT_EQ(job("a").finished->result.attempts, 2);
    EXPECT_EQ(model_.asked, 2);
  }
  const StoredToolCall& call() { return job("a").calls.begin()->second; }
  std::unique_ptr<Life> life_;
};

TEST_F(EffectCrashTest, AKeyedCallRunsAgainWithTheSameKey) {
  crash_during_the_call(EffectClass::Keyed);
  ASSERT_EQ(tool_->keys.size(), 2u);
  EXPECT_EQ(tool_->keys[0], tool_->keys[1]);
  EXPECT_FALSE(tool_->keys[0].empty());
  EXPECT_EQ(call().state, ToolCallState::Succeeded);
}

TEST_F(EffectCrashTest, AKeyedCallThatFailsAfterTheCrashMayHaveHadItsEffectBefore) {
  tool_->fails = true;
  crash_during_the_call(EffectClass::Keyed);
  EXPECT_EQ(tool_->keys.size(), 2u);
  EXPECT_EQ(call().state, ToolCallState::Unknown);
}

TEST_F(EffectCrashTest, ACallThatMayHappenOnlyOnceBecomesUnknown) {
  crash_during_the_call(EffectClass::Once);
  EXPECT_EQ(tool_->keys.size(), 1u) << "never run again";
  EXPECT_EQ(call().state, ToolCallState::Unknown);
}

TEST_F(EffectCrashTest, AReconcilableCallThatHappenedIsNotRunAgain) {
  tool_->verdict = EffectStatus::Verdict::Happened;
  crash_during_the_call(EffectClass::Reconcilable);
  EXPECT_EQ(tool_->asked, tool_->keys);
  EXPECT_EQ(tool_->keys.size(), 1u);
  EXPECT_EQ(call().state, ToolCallState::Succeeded);
}

TEST_F(EffectCrashTest, AReconcilableCallThatDidNotHappenRuns) {
  tool_->verdict = EffectStatus::Verdict::DidNotHappen;
  crash_during_the_call(EffectClass::Reconcilable);
  EXPECT_EQ(tool_->asked.size(), 1u);
  EXPECT_EQ(tool_->keys.size(), 2u);
  EXPECT_EQ(call().state, ToolCallState::Succeeded);
}

TEST_F(EffectCrashTest, AReconcilableCallOfWhichNobodyCanTellBecomesUnknown) {
  crash_during_the_call(EffectClass::Reconcilable);
  EXPECT_EQ(tool_->asked.size(), 1u);
  EXPECT_EQ(tool_->keys.size(), 1u);
  EXPECT_EQ(call().state, ToolCallState::Unknown);
}

TEST_F(EffectCrashTest, APureCallRunsAgain) {
  tool_->effect(EffectClass::Pure);
  life_ = begin();
  life_->engine->take(records({"a"}));
  ASSERT_TRUE(executor_.run_until([&] { return tool_->keys.size() == 1; }, 10s));
  EXPECT_EQ(call().state, ToolCallState::Intended) << "needs no start record";
  life_->engine->drop();
  ledger_.expire(life_->id);
  life_ = begin();
  ledger_.reap(life_->id, [](auto) {});
  ASSERT_TRUE(run_until_finished(1));
  EXPECT_EQ(tool_->keys.size(), 2u);
}

/// A job whose worker died in the middle of a call that may happen once only, and which a person is
/// asked about.
class PersonTest : public EngineTest {
 protected:
  PersonTest() { agents_ = make_agents_that_ask(); }

  AgentDirectory make_agents_that_ask() const {
    RunProfile profile;
    profile.model = "two-step";
    profile.tools = registry_.specs({});
    profile.on_unknown = OnUnknown::WaitForPerson;
    return AgentDirectory({profile}, {{"two-step", 0}});
  }

  void crash_during_the_call() {
    tool_->effect(EffectClass::Once);
    life_ = begin(10, 3h);
    life_->engine->take(records({"a", "b"}, "talk"));
    ASSERT_TRUE(executor_.run_until([&] { return tool_->keys.size() == 1; }, 10s));
    life_->engine->drop();
    ledger_.expire(life_->id);
    life_ = begin(10, 3h);
    ledger_.reap(life_->id, [](auto) {});
    ASSERT_TRUE(executor_.run_until([&] { return job("a").state == JobState::Waiting; }, 10s));
  }

  void resolve(CallVerdict verdict) {
    CallAnswer answer;
    answer.verdict = verdict;
    const auto resolved = ledger_.resolve(TenantId("acme"), JobId("a"), answer);
    ASSERT_TRUE(resolved) << resolved.error().message;
  }

  void expect_the_end(ToolCallState call, std::size_t runs) {
    ASSERT_TRUE(run_until_finished(2));
    const JobResult& result = job("a").finished->result;
    EXPECT_EQ(result.outcome, Outcome::Completed);
    EXPECT_EQ(result.attempts, 2) << "waiting is no attempt";
    EXPECT_EQ(result.totals.wasted_model_calls, 0);
    EXPECT_EQ(result.totals.tool_calls, 1);
    EXPECT_EQ(job("a").calls.begin()->second.state, call);
    EXPECT_EQ(tool_->keys.size(), runs);
  }

  std::unique_ptr<Life> life_;
};

TEST_F(PersonTest, TheJobWaitsHoldingNoSlotUntilSomebodyAnswers) {
  crash_during_the_call();
  executor_.run_for(2h);
  EXPECT_EQ(life_->engine->running(), 0) << "nor does the next of its conversation run";
  EXPECT_EQ(job("a").state, JobState::Waiting);
  EXPECT_EQ(job("a").calls.begin()->second.state, ToolCallState::Running);
  EXPECT_EQ(tool_->keys.size(), 1u);
  EXPECT_EQ(model_.asked, 1);
  resolve(CallVerdict::GiveUp);
  ASSERT_TRUE(run_until_finished(2));
  EXPECT_EQ(job("a").finished->result.outcome, Outcome::Completed)
      << "the deadline does not count the wait";
}

TEST_F(PersonTest, ACallThatHappenedIsNotRunAgain) {
  crash_during_the_call();
  resolve(CallVerdict::Happened);
  expect_the_end(ToolCallState::Succeeded, 2);  // with that of the second job
}

TEST_F(PersonTest, ACallThatDidNotHappenRuns) {
  crash_during_the_call();
  resolve(CallVerdict::DidNotHappen);
  expect_the_end(ToolCallState::Succeeded, 3);
}

TEST_F(PersonTest, ACallThatIsGivenUpIsUnknownToTheModel) {
  crash_during_the_call();
  resolve(CallVerdict::GiveUp);
  expect_the_end(ToolCallState::Unknown, 2);
}

TEST_F(PersonTest, AWaitingJobCanBeCancelled) {
  crash_during_the_call();
  ASSERT_TRUE(control("a", JobAction::Cancel));
  ASSERT_TRUE(run_until_finished(2));
  EXPECT_EQ(job("a").finished->result.outcome, Outcome::Cancelled);
  EXPECT_EQ(job("a").calls.begin()->second.state, ToolCallState::Unknown);
}

TEST_F(PersonTest, AWaitWhoseHandBackFailsComesAgain) {
  Error down;
  down.code = ErrorCode::Unavailable;
  down.retry = Retry::Later;
  ledger_.fail_next(LedgerCall::HandBack, down);
  crash_during_the_call();
  EXPECT_EQ(tool_->keys.size(), 1u);
}

TEST_F(EngineTest, ABacklogOfOneConversationPausesNobody) {
  auto life = begin(2);  // a window of 8
  std::vector<std::string> many;
  for (int i = 0; i < 20; ++i) many.push_back("talk-" + std::to_string(i));
  life->engine->take(records(many, "talk"));
  executor_.run_for(1100ms);
  EXPECT_EQ(life->engine->waiting(), 19);
  EXPECT_TRUE(life->source.paused.empty());
}

TEST_F(EngineTest, AllThatWaitsIsBoundedToo) {
  auto life = begin(2);
  std::vector<std::string> many;
  for (int i = 0; i < 55; ++i) many.push_back("talk-" + std::to_string(i));
  life->engine->take(records(many, "talk"));
  executor_.run_for(1100ms);
  EXPECT_EQ(life->source.paused, (std::set<Lane>{Lane::Normal, Lane::Batch})) << "54 of 60";
}

TEST_F(EngineTest, JobsAfterACrashRunAFewAtATimeAndShareNoTransaction) {
  auto life = begin();
  life->engine->take(records({"a", "b", "c", "d"}));
  ASSERT_TRUE(executor_.run_until([&] { return model_.asked == 4; }, 10s));
  life->engine->drop();
  ledger_.expire(life->id);
  life = begin();
  ledger_.reap(life->id, [](auto) {});
  executor_.run_for(600ms);
  EXPECT_EQ(life->engine->running(), 2) << "retried_max";
  ASSERT_TRUE(run_until_finished(4));
  EXPECT_EQ(ledger_.deltas_alone(), 4 * 4) << "lost call, two steps and a tool's outcome each";
}

TEST_F(EngineTest, ADeadIncarnationDropsEverything) {
  auto life = begin();
  life->engine->take(records({"a"}));
  ASSERT_TRUE(executor_.run_until([&] { return model_.asked == 1; }, 10s));
  ledger_.expire(life->id);
  EXPECT_TRUE(executor_.run_until([&] { return life->fenced; }, 10s));
  executor_.run_for(10s);
  EXPECT_EQ(model_.asked, 1);
  EXPECT_TRUE(job("a").steps.empty());
}

TEST_F(EngineTest, DrainsAtTheNextBoundaryAndCountsNoAttempt) {
  auto life = begin();
  life->engine->take(records({"a"}));
  ASSERT_TRUE(executor_.run_until([&] { return model_.asked == 1; }, 10s));
  life->engine->drain([&] { life->drained = true; });
  ASSERT_TRUE(executor_.run_until([&] { return life->drained; }, 10s));
  EXPECT_EQ(job("a").state, FakeJobState::Ready);
  EXPECT_EQ(job("a").steps.size(), 1u) << "the step in flight was completed";
  auto next = begin();
  ASSERT_TRUE(run_until_finished(1));
  EXPECT_EQ(job("a").finished->result.attempts, 1);
  EXPECT_EQ(job("a").finished->result.totals.wasted_model_calls, 0);
  EXPECT_EQ(model_.asked, 2);
}

TEST_F(EngineTest, GivesUpAModelCallWhenTheGraceIsOverAndCountsIt) {
  auto life = begin();
  model_.delay = 1h;
  life->engine->take(records({"a"}));
  ASSERT_TRUE(executor_.run_until([&] { return model_.asked == 1; }, 10s));
  life->engine->drain([&] { life->drained = true; });
  executor_.run_for(5s);
  EXPECT_FALSE(life->drained);
  life->engine->abandon();
  ASSERT_TRUE(executor_.run_until([&] { return life->drained; }, 10s));
  model_.delay = 1s;
  auto next = begin();
  ASSERT_TRUE(run_until_finished(1));
  EXPECT_EQ(job("a").finished->result.totals.wasted_model_calls, 1);
}

TEST_F(EngineTest, HandsAJobBackOnlyOnceItsLostCallIsRecorded) {
  auto life = begin();
  model_.delay = 1h;
  life->engine->take(records({"a"}));
  ASSERT_TRUE(executor_.run_until([&] { return model_.asked == 1; }, 10s));
  Error down;
  down.code = ErrorCode::Unavailable;
  down.retry = Retry::Later;
  for (int i = 0; i < 3; ++i) ledger_.fail_next(LedgerCall::Append, down);
  life->engine->drain([&] { life->drained = true; });
  life->engine->abandon();
  executor_.run_for(100ms);
  EXPECT_FALSE(life->drained);
  EXPECT_EQ(job("a").state, FakeJobState::Running);
  ASSERT_TRUE(executor_.run_until([&] { return life->drained; }, 10s));
  EXPECT_EQ(job("a").wasted_model_calls.at(life->id), 1);
}

TEST_F(EngineTest, CancelsARunningJobAndCountsTheCallInFlight) {
  model_.delay = 1h;
  auto life = begin(1);
  life->engine->take(records({"a", "b"}));
  ASSERT_TRUE(executor_.run_until([&] { return model_.asked == 1; }, 10s));
  ASSERT_TRUE(control("a", JobAction::Cancel));
  ASSERT_TRUE(run_until_finished(1)) << "also without a free slot";
  const JobResult& result = job("a").finished->result;
  EXPECT_EQ(result.outcome, Outcome::Cancelled);
  EXPECT_EQ(result.totals.wasted_model_calls, 1);
  EXPECT_TRUE(executor_.run_until([&] { return model_.asked == 2; }, 10s)) << "the next one runs";
}

TEST_F(EngineTest, CancelsAWaitingJobWithoutAModelCall) {
  model_.delay = 1h;
  auto life = begin(1);
  life->engine->take(records({"a", "b"}));
  ASSERT_TRUE(executor_.run_until([&] { return model_.asked == 1; }, 10s));
  ASSERT_TRUE(control("b", JobAction::Cancel));
  ASSERT_TRUE(run_until_finished(1));
  EXPECT_EQ(job("b").finished->result.outcome, Outcome::Cancelled);
  EXPECT_EQ(ledger_.outbox().size(), 2u) << "a result and a metrics report as of any job";
  EXPECT_EQ(model_.asked, 1);
}

TEST_F(EngineTest, ACancelledJobOfADeadLifeRecordsTheCallThatWasLost) {
  auto first = begin();
  first->engine->take(records({"a"}));
  ASSERT_TRUE(executor_.run_until([&] { return model_.asked == 1; }, 10s));
  first->engine->drop();
  ledger_.expire(first->id);
  ASSERT_TRUE(control("a", JobAction::Cancel));
  auto second = begin();
  ledger_.reap(second->id, [](auto) {});
  ASSERT_TRUE(run_until_finished(1));
  EXPECT_EQ(job("a").finished->result.outcome, Outcome::Cancelled);
  EXPECT_EQ(job("a").finished->result.totals.wasted_model_calls, 1);
  EXPECT_EQ(model_.asked, 1);
}

TEST_F(EngineTest, PausesAJobAtItsNextBoundaryAndGoesOnWhenItIsResumed) {
  auto life = begin(10, 3h);
  life->engine->take(records({"a", "b"}, "talk"));
  ASSERT_TRUE(executor_.run_until([&] { return model_.asked == 1; }, 10s));
  ASSERT_TRUE(control("a", JobAction::Pause));
  ASSERT_TRUE(executor_.run_until([&] { return job("a").state == JobState::Paused; }, 10s));
  EXPECT_EQ(job("a").steps.size(), 1u) << "the step in flight was completed";
  executor_.run_for(2h);
  EXPECT_EQ(model_.asked, 1) << "neither it nor the next of its conversation runs";
  ASSERT_TRUE(control("a", JobAction::Resume));
  ASSERT_TRUE(run_until_finished(2));
  const JobResult& result = job("a").finished->result;
  EXPECT_EQ(result.outcome, Outcome::Completed) << "the deadline does not count the pause";
  EXPECT_EQ(result.attempts, 1);
  EXPECT_EQ(model_.asked, 4);
}

TEST_F(EngineTest, APausedJobCanBeCancelled) {
  auto life = begin();
  life->engine->take(records({"a"}));
  ASSERT_TRUE(executor_.run_until([&] { return model_.asked == 1; }, 10s));
  ASSERT_TRUE(control("a", JobAction::Pause));
  ASSERT_TRUE(executor_.run_until([&] { return job("a").state == JobState::Paused; }, 10s));
  ASSERT_TRUE(control("a", JobAction::Cancel));
  ASSERT_TRUE(run_until_finished(1));
  EXPECT_EQ(job("a").finished->result.outcome, Outcome::Cancelled);
  EXPECT_EQ(job("a").finished->result.totals.steps, 1);
}

TEST_F(EngineTest, LostCallsBeforeAndAfterAPauseOfOneLifeAreAllCounted) {
  auto life = begin();
  model_.losses = 1;
  life->engine->take(records({"a"}));
  ASSERT_TRUE(executor_.run_until([&] { return model_.asked == 1; }, 10s));
  ASSERT_TRUE(control("a", JobAction::Pause));
  ASSERT_TRUE(executor_.run_until([&] { return job("a").state == JobState::Paused; }, 10s));
  model_.losses = 1;
  ASSERT_TRUE(control("a", JobAction::Resume));
  ASSERT_TRUE(run_until_finished(1));
  EXPECT_EQ(job("a").wasted_model_calls.at(life->id), 2);
  EXPECT_EQ(job("a").finished->result.totals.wasted_model_calls, 2);
  EXPECT_EQ(model_.asked, 4) << "paid = persisted (2) + recorded as wasted (2)";
}

TEST_F(EngineTest, AHandBackThatMayBeDoneYetEndsTheLife) {
  auto life = begin();
  life->engine->take(records({"a"}));
  ASSERT_TRUE(executor_.run_until([&] { return model_.asked == 1; }, 10s));
  ASSERT_TRUE(control("a", JobAction::Pause));
  Error unheard;
  unheard.code = ErrorCode::Timeout;
  unheard.maybe_done = true;
  ledger_.fail_next(LedgerCall::HandBack, unheard);
  EXPECT_TRUE(executor_.run_until([&] { return life->fenced; }, 10s));
}

TEST_F(EngineTest, APauseWhoseHandBackFailsIsHonouredAgain) {
  auto life = begin();
  life->engine->take(records({"a"}));
  ASSERT_TRUE(executor_.run_until([&] { return model_.asked == 1; }, 10s));
  ASSERT_TRUE(control("a", JobAction::Pause));
  Error down;
  down.code = ErrorCode::Unavailable;
  down.retry = Retry::Later;
  ledger_.fail_next(LedgerCall::HandBack, down);
  ASSERT_TRUE(executor_.run_until([&] { return job("a").state == JobState::Paused; }, 10s));
  EXPECT_EQ(model_.asked, 1);
}

TEST_F(EngineTest, EndsAJobThatNamesAnUnknownAgent) {
  auto life = begin();
  IntakeBatch batch;
  IntakeJob unknown;
  unknown.job.tenant = TenantId("acme");
  unknown.job.job_id = JobId("x");
  unknown.job.conversation_id = ConversationId("job:x");
  unknown.job.messages = {"?"};
  unknown.job.agent = "nobody";
  unknown.payload = encode_job(unknown.job);
  batch.jobs.push_back(unknown);
  ledger_.intake(life->id, std::move(batch), ClaimRequest{}, [](auto) {});
  ASSERT_TRUE(run_until_finished(1));
  EXPECT_EQ(job("x").finished->result.outcome, Outcome::InvalidJob);
  EXPECT_NE(job("x").finished->result.error->message.find("nobody"), std::string::npos);
}

TEST_F(EngineTest, EndsAJobWhoseDeadlinePassed) {
  model_.delay = 2h;
  auto life = begin(10, 24h);
  life->engine->take(records({"a"}));
  ASSERT_TRUE(run_until_finished(1, 3h));
  EXPECT_EQ(job("a").finished->result.outcome, Outcome::DeadlineExceeded);
}

}  // namespace
}  // namespace ba
