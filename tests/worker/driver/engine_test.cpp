// SPDX-License-Identifier: Apache-2.0
// The life of a job from its record to its outbox rows, also with answers of the ledger that get
// lost.
#include "tests/worker/driver/engine_fixture.hpp"

namespace ba::driver {
namespace {

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

TEST_F(EngineTest, CallsOfOneReplyRunAtTheSameTime) {
  model_.script = [](const ModelRequest& request) -> std::optional<AiMessage> {
    if (std::holds_alternative<ToolMessage>(*request.messages.back())) return std::nullopt;
    AiMessage message;
    for (const char* id : {"a", "b", "c"}) {
      ToolCall& call = message.tool_calls.emplace_back();
      call.id = ToolCallId(id);
      call.name = "look";
    }
    return message;
  };
  tool_->takes = 5s;
  auto life = begin();
  life->engine->take(records({"a"}));
  const SteadyTime start = executor_.now();
  ASSERT_TRUE(run_until_finished(1));
  EXPECT_EQ(tool_->keys.size(), 3u);
  EXPECT_EQ(std::set<std::string>(tool_->keys.begin(), tool_->keys.end()).size(), 3u);
  EXPECT_LT(executor_.now() - start, 10s) << "1 s each model call, 5 s each call of the tool";
  EXPECT_EQ(job("a").finished->result.totals.tool_calls, 3);
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
  int most = 0;
  ASSERT_TRUE(executor_.run_until(
      [&] {
        most = std::max(most, life->engine->running());
        return finished() == 5;
      },
      60s));
  EXPECT_EQ(most, 2);
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

TEST_F(EngineTest, TakesAThousandRecordsInOneTransaction) {
  auto life = begin();
  std::vector<std::string> ids;
  for (int i = 0; i < 1001; ++i) ids.push_back(std::to_string(i));
  life->engine->take(records(std::move(ids)));
  ASSERT_TRUE(executor_.run_until([&] { return !ledger_.jobs().empty(); }, 5s));
  EXPECT_EQ(ledger_.jobs().size(), 1000u);
  ASSERT_TRUE(executor_.run_until([&] { return ledger_.jobs().size() == 1001; }, 60s));
}

TEST_F(EngineTest, LargeRecordsShareNoTransactionAndAllAreTakenIn) {
  auto life = begin();
  std::vector<RawRecord> large = records({"a", "b", "c", "d"});
  for (RawRecord& record : large) record.headers = {{"note", std::string(3U << 20U, 'x')}};
  life->engine->take(std::move(large));
  ASSERT_TRUE(executor_.run_until([&] { return !ledger_.jobs().empty(); }, 5s));
  EXPECT_EQ(ledger_.jobs().size(), 2u);
  ASSERT_TRUE(run_until_finished(4));
  EXPECT_EQ(life->source.acknowledged, 4u);
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
  EXPECT_EQ(observation("roomy"), look_at(OutputLevel::Standard));
  EXPECT_EQ(observation("crowded"), look_at(OutputLevel::Brief));
}

TEST_F(EngineTest, ObservationsAreAsTheAgentHasSetForTheTool) {
  RunProfile profile;
  profile.model = "two-step";
  profile.tools = registry_.specs({});
  profile.tool_settings["look"].level = OutputLevel::Brief;
  agents_ = AgentDirectory({profile}, {{"two-step", kContextWindow}});
  auto life = begin();
  life->engine->take(records({"a"}));
  ASSERT_TRUE(run_until_finished(1));
  EXPECT_EQ(observation("a"), look_at(OutputLevel::Brief));
}

TEST_F(EngineTest, WaitsForALedgerThatIsOutOfReach) {
  auto life = begin();
  for (int i = 0; i < 3; ++i) ledger_.fail_next(LedgerCall::Append, ledger_is_down());
  for (int i = 0; i < 3; ++i) ledger_.fail_next(LedgerCall::Load, ledger_is_down());
  life->engine->take(records({"a", "b"}, "talk"));
  ASSERT_TRUE(run_until_finished(2));
  EXPECT_EQ(model_.asked, 4);
}

TEST_F(EngineTest, AJobOfWhichNothingIsStoredBeginsWithoutBeingLoaded) {
  Error unreadable;
  unreadable.code = ErrorCode::Corrupt;
  ledger_.fail_next(LedgerCall::Load, unreadable);
  auto life = begin();
  life->engine->take(records({"a", "b"}, "talk"));
  ASSERT_TRUE(run_until_finished(2));
  EXPECT_EQ(job("a").finished->result.outcome, Outcome::Completed);
  EXPECT_EQ(job("b").finished->result.outcome, Outcome::Failed) << "its history was asked for";
}

TEST_F(EngineTest, AJobOfAnAnswerThatWasLostIsLoaded) {
  Error unreadable;
  unreadable.code = ErrorCode::Corrupt;
  ledger_.fail_next(LedgerCall::Load, unreadable);
  ledger_.lose_next_answer(LedgerCall::Intake);
  auto life = begin();
  life->engine->take(records({"a"}));
  ASSERT_TRUE(run_until_finished(1));
  EXPECT_EQ(job("a").finished->result.outcome, Outcome::Failed);
}

TEST_F(EngineTest, AJobThatIsReadAgainIsReadFromTheLedger) {
  auto life = begin();
  life->engine->take(records({"a"}));
  ASSERT_TRUE(run_until_asked(2));
  Error refused;
  refused.code = ErrorCode::InvalidArgument;
  ledger_.fail_next(LedgerCall::Append, refused);
  ASSERT_TRUE(run_until_finished(1));
  const JobResult& result = job("a").finished->result;
  EXPECT_EQ(result.outcome, Outcome::Failed);
  EXPECT_EQ(result.totals.steps, 1) << "nothing was stored of it when it was claimed";
  EXPECT_EQ(result.totals.tool_calls, 1);
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
  EXPECT_EQ(observer_.started, 2) << "one of them was read twice";
}

TEST_F(EngineTest, StoresNoMessageThatIsNotValidAndNamesItsField) {
  auto life = begin();
  life->engine->take(records({"a"}, std::string("ta\0lk", 5)));
  ASSERT_TRUE(run_until_finished(1));
  const auto& result = job("a").finished->result;
  EXPECT_EQ(result.outcome, Outcome::Failed);
  ASSERT_TRUE(result.error);
  EXPECT_NE(result.error->message.find("rounds_opened[0].message.conversation_id is not storable"),
            std::string::npos)
      << result.error->message;
  EXPECT_TRUE(job("a").messages.empty());
}

TEST_F(EngineTest, CountsARefusedReplyAlsoWhenTheJobCannotBeReadAgain) {
  auto life = begin();
  Error refused;
  refused.code = ErrorCode::InvalidArgument;
  ledger_.fail_next(LedgerCall::Append, refused);
  life->engine->take(records({"a"}));
  ASSERT_TRUE(run_until_asked(1));
  Error unreadable;
  unreadable.code = ErrorCode::Corrupt;
  ledger_.fail_next(LedgerCall::Load, unreadable);
  ASSERT_TRUE(run_until_finished(1));
  EXPECT_EQ(job("a").finished->result.outcome, Outcome::Failed);
  EXPECT_EQ(job("a").finished->result.totals.wasted_model_calls, 1);
}

TEST_F(EngineTest, EndsAJobWhoseRowsCannotBeRead) {
  auto life = begin();
  Error unreadable;
  unreadable.code = ErrorCode::Corrupt;
  unreadable.message = "unknown schema version";
  ledger_.fail_next(LedgerCall::Load, unreadable);
  life->engine->take(records({"first", "a"}, "talk"));
  ASSERT_TRUE(run_until_finished(2));
  EXPECT_EQ(job("a").finished->result.outcome, Outcome::Failed);
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
  EXPECT_EQ(job("a").finished->result.totals.wasted_model_calls, 1);
}

TEST_F(EngineTest, NoCallIsLostBetweenTwoTries) {
  model_.failures = 1;
  model_.backoff = 2h;
  auto life = begin(10, 24h);
  life->engine->take(records({"a"}));
  ASSERT_TRUE(run_until_finished(1, 3h));
  EXPECT_EQ(job("a").finished->result.outcome, Outcome::DeadlineExceeded);
  EXPECT_EQ(job("a").finished->result.totals.wasted_model_calls, 0);
}

}  // namespace
}  // namespace ba::driver
