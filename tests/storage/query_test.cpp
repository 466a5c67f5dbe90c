// SPDX-License-Identifier: Apache-2.0
#include "storage/query.hpp"

#include "pipeline/core/tool/telemetry_json.hpp"
#include "storage/control.hpp"
#include "tests/storage/storage_fixture.hpp"

namespace ba::storage {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

class Query : public StorageTest {
 protected:
  const PgAccess& access() { return schema().access(); }
};

TEST_F(Query, AFinishedJobComesWithAllThatHappened) {
  const auto self = enter("worker-a");
  const auto job = running_job(self);
  ASSERT_TRUE(append(self, round_opened(job)));
  ASSERT_TRUE(append(self, step_replied(job)));
  ASSERT_TRUE(append(self, call_started(job)));
  ASSERT_TRUE(append(self, call_finished(job)));
  ASSERT_TRUE(append(self, finished(job)));
  const auto found = find_job(access(), TenantId("acme"), JobId("job-1"));
  ASSERT_TRUE(found) << found.error().message;
  ASSERT_TRUE(found->has_value());
  const JobTimeline& timeline = **found;
  EXPECT_EQ(timeline.job.state, "finished");
  EXPECT_EQ(timeline.job.outcome, "completed");
  EXPECT_EQ(timeline.job.lane, "normal");
  EXPECT_EQ(timeline.job.worker, "worker-a");
  EXPECT_EQ(timeline.job.conversation_id.value, "job:job-1");
  EXPECT_EQ(timeline.job.usage.input_tokens, 100);
  EXPECT_EQ(timeline.job.cost_micro_usd, 250);
  EXPECT_TRUE(timeline.job.cost_known);
  EXPECT_EQ(timeline.job.created_at, WallTime(Microseconds(1772366400000001)));
  ASSERT_TRUE(timeline.job.finished_at);
  EXPECT_GE(*timeline.job.finished_at, *timeline.job.started_at);
  EXPECT_EQ(timeline.payload, "acme/job-1");
  EXPECT_EQ(timeline.source.topic, "ba.jobs");
  EXPECT_EQ(timeline.source.partition, 0);
  EXPECT_EQ(timeline.source.offset, 7);
  EXPECT_EQ(timeline.result, std::string("\x08\x00\xff", 3));
  EXPECT_EQ(timeline.metrics_json, R"({"rounds":1})");
  ASSERT_THAT(timeline.attempts, SizeIs(1));
  EXPECT_EQ(timeline.attempts[0].ending, "finished");
  ASSERT_THAT(timeline.rounds, SizeIs(1));
  EXPECT_EQ(timeline.rounds[0].final_answer, "42 flights");
  ASSERT_THAT(timeline.steps, SizeIs(1));
  EXPECT_EQ(timeline.steps[0].provider, "scripted");
  EXPECT_EQ(timeline.steps[0].cost_micro_usd, 250);
  EXPECT_EQ(timeline.steps[0].latency, Milliseconds(12));
  ASSERT_THAT(timeline.messages, SizeIs(3));
  EXPECT_EQ(timeline.messages[2].position, (Position{0, 1, 1}));
  ASSERT_THAT(timeline.tool_calls, SizeIs(1));
  EXPECT_EQ(timeline.tool_calls[0].state, "succeeded");
  EXPECT_TRUE(timeline.tool_calls[0].started_at);
}

TEST_F(Query, OfACallAllIsThereThatItsResultTells) {
  const auto self = enter("worker-a");
  const auto job = running_job(self);
  ASSERT_TRUE(append(self, round_opened(job)));
  ASSERT_TRUE(append(self, step_replied(job)));
  ASSERT_TRUE(append(self, call_started(job)));
  Delta done = call_finished(job);
  ToolResult& result = done.calls_finished[0].result;
  result.state = ToolCallState::Failed;
  result.output_level = OutputLevel::Full;
  result.artifact_id = "artifact_0123";
  result.data_size_bytes = 1234;
  result.data_hash = "abcd";
  result.data_summary = "List with 2 items";
  result.note = "Only the first 2 rows.";
  result.error = ToolError{ToolErrorType::Timeout, "TIMEOUT", "Tool execution timed out"};
  result.retry_count = 3;
  result.duration = Milliseconds(77);
  ToolTelemetry& telemetry = result.telemetry;
  telemetry.tool = "query_database";
  telemetry.tool_version = "1.0.0+0a1b2c3d";
  telemetry.semantic_key = "feed";
  telemetry.cache_hit = true;
  telemetry.origin_job = LedgerJobId(9);
  telemetry.origin = {0, 3, 2};
  telemetry.execution_id = "run-1";
  telemetry.attempts = 4;
  telemetry.latency = Milliseconds(6);
  telemetry.input_tokens = 5;
  telemetry.output_tokens = 7;
  telemetry.error_context = "inside";
  telemetry.metrics = {{"rows", 2}};
  ASSERT_TRUE(append(self, done));
  const auto found = find_job(access(), TenantId("acme"), JobId("job-1"));
  ASSERT_TRUE(found && *found);
  ASSERT_THAT((*found)->tool_calls, SizeIs(1));
  const ToolCallView& call = (*found)->tool_calls[0];
  EXPECT_EQ(call.state, "failed");
  EXPECT_EQ(call.output_level, "full");
  EXPECT_EQ(call.artifact_id, "artifact_0123");
  EXPECT_EQ(call.data_size_bytes, 1234);
  EXPECT_EQ(call.data_hash, "abcd");
  EXPECT_EQ(call.note, "Only the first 2 rows.");
  EXPECT_EQ(call.error_type, "timeout");
  EXPECT_EQ(call.error_code, "TIMEOUT");
  EXPECT_EQ(call.error_message, "Tool execution timed out");
  EXPECT_EQ(call.retry_count, 3);
  EXPECT_EQ(call.duration, Milliseconds(77));
  EXPECT_EQ(call.semantic_key, "feed");
  EXPECT_EQ(call.cache_origin, "9/0/3/2");
  EXPECT_EQ(call.telemetry, telemetry_json(telemetry));
  EXPECT_EQ(schema().query("SELECT cache_hit || ' ' || data_summary || ' ' || tool_version"
                           " || ' ' || (telemetry ->> 'error_context') FROM tool_calls"),
            "true List with 2 items 1.0.0 inside");
}

/// What a reply reports is compared with the estimate, per model.
TEST_F(Query, EstimatesOfTokensStandBesideWhatWasReported) {
  const auto self = enter();
  const auto job = running_job(self);
  ASSERT_TRUE(append(self, round_opened(job)));
  ASSERT_TRUE(append(self, step_replied(job, 1)));
  Delta cached = step_replied(job, 2);
  cached.steps[0].message.usage = {
      .input_tokens = 40, .cache_read_tokens = 50, .cache_write_tokens = 10};
  cached.steps[0].estimated_input_tokens = 95;
  ASSERT_TRUE(append(self, cached));
  Delta uncounted = step_replied(job, 3);
  uncounted.steps[0].estimated_input_tokens = std::nullopt;
  ASSERT_TRUE(append(self, uncounted));
  Delta silent = step_replied(job, 4);
  silent.steps[0].message.usage = {};
  ASSERT_TRUE(append(self, silent));
  EXPECT_EQ(schema().query("SELECT tenant || ' ' || provider || ' ' || model || ' ' || replies"
                           " || ' ' || estimated_tokens || ' ' || reported_tokens || ' ' || error"
                           " FROM token_estimates"),
            "acme scripted scripted-1 2 210 200 0.0500");
}

TEST_F(Query, ARoundSaysWhatItUsedAndWhichSkillsWereActive) {
  const auto self = enter();
  const auto job = running_job(self);
  Delta opened = round_opened(job);
  opened.skills_used.push_back({{0, 0, 1}, "skill-1", "sql", "h1", "{}", 1});
  ASSERT_TRUE(append(self, opened));
  ASSERT_TRUE(append(self, step_replied(job, 1, 2)));
  Delta outcome = call_finished(job, 1, 0);
  outcome.skills_used.push_back({{0, 1, 1}, "skill-2", "charts", "h2", "{}", 2});
  outcome.skills_used.push_back({{0, 1, 2}, "", "maps", "h3", "{}", 0});  // it was only read
  ASSERT_TRUE(append(self, outcome));
  ASSERT_TRUE(append(self, call_finished(job, 1, 1)));
  const auto round = [&] {
    return find_job(access(), TenantId("acme"), JobId("job-1"))->value().rounds.at(0);
  };
  EXPECT_EQ(round().round_id, "job-1/0");
  EXPECT_EQ(round().status, "in_progress");
  EXPECT_EQ(round().tokens_used, 110);
  EXPECT_THAT(round().skill_activations, ElementsAre("sql", "charts"));
  Delta cached = step_replied(job, 2, 0);
  cached.steps[0].message.usage = {
      .input_tokens = 40, .cache_read_tokens = 50, .cache_write_tokens = 10, .output_tokens = 5};
  ASSERT_TRUE(append(self, cached));
  Delta end = finished(job);
  end.rounds_closed[0].latency = Milliseconds(345);
  ASSERT_TRUE(append(self, end));
  EXPECT_EQ(round().status, "completed");
  EXPECT_EQ(round().tokens_used, 215) << "cached input and output, too";
  EXPECT_EQ(round().latency, Milliseconds(345));
}

TEST_F(Query, AnUnfinishedJobShowsWhatItUsedSoFar) {
  const auto self = enter();
  const auto job = running_job(self);
  ASSERT_TRUE(append(self, round_opened(job)));
  ASSERT_TRUE(append(self, step_replied(job)));
  const auto found = find_job(access(), TenantId("acme"), JobId("job-1"));
  const JobSummary& summary = found->value().job;
  EXPECT_EQ(summary.state, "running");
  EXPECT_EQ(summary.outcome, "");
  EXPECT_EQ(summary.rounds, 1);
  EXPECT_EQ(summary.steps, 1);
  EXPECT_EQ(summary.tool_calls, 1);
  EXPECT_EQ(summary.usage.input_tokens, 100);
  EXPECT_FALSE(summary.finished_at);
}

TEST_F(Query, AJobsMessagesAreLookedUpByItsKeys) {
  const std::string plan = schema().query(
      "EXPLAIN (FORMAT JSON)"
      " SELECT (SELECT count(*) FROM messages m WHERE m.job = j.id) FROM jobs j");
  EXPECT_THAT(plan, testing::HasSubstr("(job = j.id)")) << "each table is asked";
  EXPECT_THAT(plan, testing::Not(testing::HasSubstr("(m.job = j.id)"))) << "all are read, then few";
}

TEST_F(Query, AJobOfAnotherTenantIsNotFound) {
  const auto self = enter();
  running_job(self);
  EXPECT_FALSE(find_job(access(), TenantId("globex"), JobId("job-1"))->has_value());
  EXPECT_FALSE(find_job(access(), TenantId(""), JobId("job-1"))->has_value());
}

TEST_F(Query, AJobThatIsNotThereIsNamedWithTheTenantsThatHaveOneOfItsId) {
  const auto self = enter("worker-a");
  ASSERT_TRUE(intake(self, batch_of({{.job_id = "a"},
                                     {.job_id = "a", .tenant = "globex"},
                                     {.job_id = "b", .tenant = "globex"}})));
  const auto said = [&](const char* tenant, const char* job) {
    const Error error = no_such_job(access(), {TenantId(tenant), JobId(job)});
    EXPECT_EQ(error.code, ErrorCode::NotFound);
    return error.message;
  };
  EXPECT_EQ(said("other", "c"),
            "there is no job \"c\" of tenant \"other\" in the ledger; `ba-agent job list` names "
            "those there are");
  EXPECT_EQ(said("other", "b"),
            "there is no job \"b\" of tenant \"other\" in the ledger; tenant \"globex\" has a job "
            "of that id: --tenant globex");
  EXPECT_EQ(said("other", "a"),
            "there is no job \"a\" of tenant \"other\" in the ledger; tenants \"acme\", \"globex\" "
            "have a job of that id: say whose with --tenant");
  const auto controlled =
      control_job(access(), {TenantId("other"), JobId("b")}, JobAction::Cancel, "ann");
  ASSERT_FALSE(controlled);
  EXPECT_EQ(controlled.error().message, said("other", "b"));
}

TEST_F(Query, OfManyTenantsThatHaveAJobOfAnIdTheFirstAreNamed) {
  const auto self = enter("worker-a");
  std::vector<std::string> tenants;
  for (int i = 1; i <= 6; ++i) tenants.push_back("t" + std::to_string(i));
  for (const std::string& tenant : tenants)
    ASSERT_TRUE(intake(self, batch_of({{.job_id = "a", .tenant = tenant}})));
  EXPECT_EQ(job_elsewhere(access(), {TenantId("other"), JobId("a")}),
            "tenants \"t1\", \"t2\", \"t3\", \"t4\", \"t5\" and others have a job of that id: say "
            "whose with --tenant");
}

TEST_F(Query, AConversationStandsWithItsJobsOrIsNotThere) {
  const auto self = enter("worker-a");
  const auto standing = [&](const char* tenant, const char* name) {
    const auto found = find_conversation(access(), TenantId(tenant), ConversationId(name));
    EXPECT_TRUE(found) << found.error().message;
    return *found;
  };
  EXPECT_FALSE(standing("acme", "talk"));
  ASSERT_TRUE(intake(self, batch_of({{.job_id = "job-1", .conversation = "talk"},
                                     {.job_id = "next", .conversation = "talk"}})));
  ASSERT_TRUE(standing("acme", "talk"));
  EXPECT_EQ(standing("acme", "talk")->jobs, 2);
  EXPECT_FALSE(standing("acme", "talk")->imported);
  EXPECT_FALSE(standing("globex", "talk")) << "another tenant's";
  const auto claimed = claim(self, 1);
  ASSERT_THAT(claimed->jobs, SizeIs(1));
  ASSERT_TRUE(append(self, finished(claimed->jobs[0])));
  EXPECT_EQ(standing("acme", "talk")->jobs, 2) << "one of them has ended";
}

TEST_F(Query, JobsAreListedNewestFirst) {
  const auto self = enter();
  ASSERT_TRUE(intake(
      self, batch_of({{.job_id = "a"}, {.job_id = "b"}, {.job_id = "c", .tenant = "globex"}}), 1));
  const auto list = [&](const JobFilter& filter) {
    std::vector<std::string> ids;
    for (const JobSummary& job : *list_jobs(access(), filter)) ids.push_back(job.job_id.value);
    return ids;
  };
  JobFilter filter;
  EXPECT_THAT(list(filter), ElementsAre("c", "b", "a"));
  filter.tenant = "acme";
  EXPECT_THAT(list(filter), ElementsAre("b", "a"));
  filter.state = "running";
  EXPECT_THAT(list(filter), ElementsAre("a"));
  filter = {};
  filter.rows_max = 1;
  EXPECT_THAT(list(filter), ElementsAre("c"));
}

TEST_F(Query, HealthCountsWhatNeedsAttention) {
  const auto self = enter();
  ASSERT_TRUE(own_shards(self));
  IntakeBatch batch = batch_of({{.job_id = "a"}, {.job_id = "b"}});
  batch.dead_letters = {dead_letter(7, 2)};
  ASSERT_TRUE(intake(self, batch, 1));
  ASSERT_TRUE(stop_shard(self, 3, "receipt 5 is newer than batch 4"));
  const auto health = storage_health(access());
  ASSERT_TRUE(health) << health.error().message;
  EXPECT_EQ(health->live_incarnations, 1);
  EXPECT_EQ(health->jobs_ready, 1);
  EXPECT_EQ(health->jobs_running, 1);
  EXPECT_EQ(health->outbox_pending, 1);
  EXPECT_TRUE(health->oldest_pending);
  EXPECT_EQ(health->shards, LedgerRig::kShards);
  EXPECT_EQ(health->dead_letters, 1);
  ASSERT_THAT(health->stopped_shards, SizeIs(1));
  EXPECT_EQ(health->stopped_shards[0].shard, 3);
  EXPECT_EQ(health->stopped_shards[0].reason, "receipt 5 is newer than batch 4");

  const auto letters = list_dead_letters(access(), 10);
  ASSERT_THAT(*letters, SizeIs(1));
  EXPECT_EQ(letters->at(0).reason, "BAD_JSON");
  EXPECT_EQ(letters->at(0).offset, 7);
  EXPECT_EQ(letters->at(0).value, std::string("\x00\xff{", 3));
}

TEST_F(Query, ADeadLetterIsFoundByThePlaceOfItsRecord) {
  const auto self = enter();
  IntakeBatch batch;
  batch.dead_letters = {dead_letter(7), dead_letter(8)};
  ASSERT_TRUE(intake(self, batch, 0));
  RecordSource source = batch.dead_letters[0].source;
  source.topic_id.clear();  // who sent the record doesn't know it
  const auto found = find_dead_letter(access(), source);
  ASSERT_TRUE(found) << found.error().message;
  ASSERT_TRUE(*found);
  EXPECT_EQ((*found)->offset, 7);
  EXPECT_EQ((*found)->reason, "BAD_JSON");
  source.timestamp_ms += 1;  // of an earlier topic of that name
  EXPECT_FALSE(find_dead_letter(access(), source)->has_value());
}

}  // namespace
}  // namespace ba::storage
