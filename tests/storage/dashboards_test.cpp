// SPDX-License-Identifier: Apache-2.0
// The views that dashboards read, and that they count the same after what they count was removed.
#include <fstream>
#include <nlohmann/json.hpp>
#include <regex>

#include "storage/dead_letters.hpp"
#include "tests/storage/storage_fixture.hpp"

namespace ba::storage {
namespace {

using testing::HasSubstr;

constexpr Milliseconds kDay = std::chrono::hours(24);

class Dashboards : public StorageTest {
 protected:
  struct Call {
    Milliseconds duration{5};
    ToolCallState state = ToolCallState::Succeeded;
    bool cache_hit = false;
    int retries = 0;
    std::int64_t tokens = 0;
  };

  ClaimedJob begun(const JobSpec& spec) {
    const auto answer = intake(self_, batch_of({spec}), 10);
    for (const ClaimedJob& job : answer->jobs)
      if (job.payload == spec.tenant + "/" + spec.job_id) return job;
    ADD_FAILURE() << spec.job_id;
    return {};
  }

  void work(const ClaimedJob& job, const std::vector<Call>& calls) {
    ASSERT_TRUE(append(self_, round_opened(job)));
    ASSERT_TRUE(append(self_, step_replied(job, 1, static_cast<int>(calls.size()))));
    Delta outcomes = delta_for(job);
    for (std::size_t i = 0; i < calls.size(); ++i) {
      Delta one = call_finished(job, 1, static_cast<int>(i));
      ToolResult& result = one.calls_finished.at(0).result;
      result.duration = calls[i].duration;
      result.state = calls[i].state;
      result.retry_count = calls[i].retries;
      result.telemetry.execution_id = "run-1";
      result.telemetry.cache_hit = calls[i].cache_hit;
      result.telemetry.input_tokens = calls[i].tokens / 2;
      result.telemetry.output_tokens = calls[i].tokens - calls[i].tokens / 2;
      outcomes.calls_finished.push_back(one.calls_finished.at(0));
    }
    ASSERT_TRUE(append(self_, outcomes));
  }

  /// With a reply of 110 tokens for 250 micro-dollars.
  void end(const ClaimedJob& job, const JobSpec& spec, Outcome outcome = Outcome::Completed) {
    Delta end = finished(job, spec.tenant + "-" + spec.job_id);
    end.finished->result.outcome = outcome;
    if (outcome != Outcome::Completed) end.finished->result.error = JobError{"limit", "X", "x"};
    end.finished->result.totals.usage.cache_read_tokens = 40;
    ASSERT_TRUE(append(self_, end));
    schema().execute("UPDATE outbox SET batch = 1, published_at = now() WHERE batch IS NULL");
  }

  void run_job(const JobSpec& spec, const std::vector<Call>& calls,
               Outcome outcome = Outcome::Completed) {
    const ClaimedJob job = begun(spec);
    work(job, calls);
    end(job, spec, outcome);
  }

  /// Every row of a view, one a line.
  std::string rows(const std::string& columns, const std::string& view) {
    return schema().query(
        "SELECT coalesce(string_agg(line, chr(10) ORDER BY line), '') FROM (SELECT"
        " concat_ws(' ', " +
        columns + ") AS line FROM " + view + ") AS lines");
  }

  std::string all_sums() {
    return rows(
               "tenant, day, outcome, jobs, jobs_without_cost, input_tokens, cache_read_tokens,"
               " output_tokens, total_tokens, cost_micro_usd, total_duration_ms",
               "job_days") +
           "\n" + rows("m", "model_days AS m") + "\n" + rows("t", "tool_days AS t") + "\n" +
           rows("g", "global_totals AS g") + "\n" + rows("t", "tenant_totals AS t");
  }

  Result<RemovedRows> remove_old(int rows_max = 100) {
    RetentionRules rules;
    rules.jobs = 30 * kDay;
    rules.batch_rows_max = rows_max;
    return remove_batch(self_, rules);
  }

  std::string count(const std::string& table) {
    return schema().query("SELECT count(*) FROM " + table);
  }

  const IncarnationId self_ = enter();
};

/// Dashboards of others name them.
TEST_F(Dashboards, TheColumnsAreAContract) {
  const std::pair<const char*, const char*> views[] = {
      {"job_days",
       "tenant day outcome jobs jobs_without_cost total_duration_ms input_tokens "
       "cache_read_tokens cache_write_tokens output_tokens thinking_tokens total_tokens "
       "cost_micro_usd wasted_model_calls"},
      {"tool_days",
       "tenant day tool_name call_count avg_duration_ms p95_duration_ms avg_tokens success_rate "
       "error_rate retried_calls cache_hits cache_hit_rate"},
      {"model_days",
       "tenant day provider model replies replies_without_price avg_latency_ms input_tokens "
       "cache_read_tokens cache_write_tokens output_tokens thinking_tokens total_tokens "
       "cached_input_share cost_micro_usd"},
      {"tenant_totals",
       "tenant total_conversations total_tool_calls total_tokens total_duration_seconds "
       "avg_tokens_per_call total_cost_micro_usd"},
      {"global_totals",
       "total_conversations total_tool_calls total_tokens total_duration_seconds "
       "avg_tokens_per_call total_cost_micro_usd"},
      {"conversation_metrics",
       "tenant conversation_id jobs start_time end_time total_duration_ms total_input_tokens "
       "total_output_tokens total_tokens cost_micro_usd successful_calls failed_calls "
       "retried_calls skill_activations unique_skills messages_count compression_events "
       "cached_tokens cache_hits saved_tokens saved_micro_usd"},
      {"job_savings",
       "tenant job_id conversation_id finished_at of_sub_agent saved_tokens saved_micro_usd "
       "cost_incomplete cache_tokens cache_micro_usd encoding_tokens encoding_micro_usd "
       "shared_results_tokens shared_results_micro_usd compression_tokens compression_micro_usd"},
      {"round_metrics",
       "tenant job_id round_id round status start_time end_time duration_ms steps "
       "total_input_tokens total_output_tokens cached_tokens cost_micro_usd total_calls "
       "successful_calls failed_calls retried_calls cache_hits skill_activations unique_skills "
       "messages_count compression_events"},
      {"step_metrics",
       "tenant job_id round step provider model total_input_tokens total_output_tokens "
       "cached_tokens cost_micro_usd duration_ms tries replied_at total_calls successful_calls "
       "failed_calls retried_calls cache_hits skill_activations unique_skills messages_count "
       "compression_events kind"}};
  for (const auto& [view, columns] : views)
    EXPECT_EQ(schema().query("SELECT string_agg(column_name, ' ' ORDER BY ordinal_position) FROM"
                             " information_schema.columns WHERE table_schema = current_schema()"
                             " AND table_name = '" +
                             std::string(view) + "'"),
              columns);
}

TEST_F(Dashboards, EveryViewReadsWithItsReadersRights) {
  EXPECT_EQ(schema().query("SELECT string_agg(relname, ' ') FROM pg_class WHERE relkind = 'v' AND"
                           " relnamespace = current_schema()::regnamespace AND"
                           " NOT coalesce(reloptions, '{}') @> '{security_invoker=true}'"),
            "");
}

TEST_F(Dashboards, JobsAreCountedByTenantDayAndOutcome) {
  run_job({.job_id = "a"}, {});
  run_job({.job_id = "b"}, {});
  run_job({.job_id = "c"}, {}, Outcome::StepLimit);
  run_job({.job_id = "d", .tenant = "globex"}, {});
  begun({.job_id = "running"});
  const std::string columns =
      "tenant, outcome, jobs, total_tokens, cost_micro_usd, day = (now() AT TIME ZONE 'UTC')::date";
  EXPECT_EQ(
      rows(columns, "job_days"),
      "acme completed 2 300 500 t\nacme step_limit 1 150 250 t\nglobex completed 1 150 250 t");
  rig().age(kDay);
  run_job({.job_id = "e"}, {});
  EXPECT_EQ(rows("(now() AT TIME ZONE 'UTC')::date - day, jobs", "job_days WHERE tenant = 'acme'"),
            "0 1\n1 1\n1 2");
}

TEST_F(Dashboards, AToolsCallsHaveTheirRatesAndTheirP95ByNearestRank) {
  std::vector<Call> calls;
  for (int ms = 20; ms >= 1; --ms) calls.push_back({.duration = Milliseconds(ms), .tokens = ms});
  calls[3].state = ToolCallState::Failed;
  calls[4].retries = 2;
  calls[5].cache_hit = calls[6].cache_hit = true;
  run_job({.job_id = "a"}, calls);
  EXPECT_EQ(
      rows("tool_name, call_count, avg_duration_ms, p95_duration_ms, avg_tokens, success_rate,"
           " error_rate, retried_calls, cache_hits, cache_hit_rate",
           "tool_days"),
      "query_database 20 10.5 19 10.5 0.9500 0.0500 1 2 0.1000");
}

TEST_F(Dashboards, RepliesAreCountedByModel) {
  const ClaimedJob job = begun({.job_id = "a"});
  ASSERT_TRUE(append(self_, round_opened(job)));
  Delta cached = step_replied(job, 1, 0);
  cached.steps[0].message.usage = {
      .input_tokens = 25, .cache_read_tokens = 75, .output_tokens = 10};
  ASSERT_TRUE(append(self_, cached));
  Delta unpriced = step_replied(job, 2, 0);
  unpriced.steps[0].model = "other";
  unpriced.steps[0].cost_micro_usd = std::nullopt;
  ASSERT_TRUE(append(self_, unpriced));
  end(job, {.job_id = "a"});
  EXPECT_EQ(rows("provider, model, replies, replies_without_price, avg_latency_ms, total_tokens,"
                 " cached_input_share, cost_micro_usd",
                 "model_days"),
            "scripted other 1 1 12.0 110 0.0000 0\nscripted scripted-1 1 0 12.0 110 0.7500 250");
}

/// What a job paid for a summary is in the same sums as its replies; what was reused cost nothing.
TEST_F(Dashboards, SummariesAreCountedByModelRoundAndStep) {
  const ClaimedJob job = begun({.job_id = "a"});
  work(job, {});
  Delta summaries = delta_for(job);
  for (const int step : {1, 2, 3}) {
    SummaryRow row;
    row.at = row.after = {0, step, 0};
    row.state = step == 3 ? SummaryState::Lost : SummaryState::Ready;
    if (step != 3) row.text = "what was said";
    if (step != 3) row.model = "small/of/all";
    row.reused = step == 2;
    row.usage = {.input_tokens = 90, .output_tokens = 7};
    row.cost_micro_usd = 350;
    summaries.summaries.push_back(row);
  }
  ASSERT_TRUE(append(self_, summaries));
  end(job, {.job_id = "a"});
  EXPECT_EQ(rows("provider, model, replies, total_tokens, cost_micro_usd", "model_days"),
            "scripted scripted-1 1 110 250\nsmall of/all 1 97 350");
  EXPECT_EQ(rows("steps, total_input_tokens, total_output_tokens, cost_micro_usd", "round_metrics"),
            "1 190 17 600");
  EXPECT_EQ(rows("kind, step, provider, model, total_input_tokens, total_output_tokens,"
                 " cost_micro_usd, total_calls, unique_skills::text",
                 "step_metrics"),
            "reply 1 scripted scripted-1 100 10 250 0 {}\nsummary 1 small of/all 90 7 350 0 {}");
}

/// Its money is on the bill of the job that asked; its calls and replies are its own.
TEST_F(Dashboards, ASubAgentsWorkIsAddedUpOnce) {
  const ClaimedJob asking = begun({.job_id = "a"});
  work(asking, {{}});
  SubAgentOrder order;
  order.asked_by = {asking.id, {0, 1, 1}};
  order.job.tenant = TenantId("acme");
  order.job.job_id = JobId("sub-agent:x");
  order.job.conversation_id = ConversationId("sub-agent:x");
  order.payload = "payload";
  const auto standing =
      await<SubAgentStanding>([&](auto done) { ledger().begin_sub_agent(self_, order, done); });
  ASSERT_TRUE(standing && standing->claimed);
  work(*standing->claimed, {{}, {}});
  end(*standing->claimed, {.job_id = "sub"});
  end(asking, {.job_id = "a"});
  EXPECT_EQ(rows("jobs, total_tokens", "job_days"), "1 150");
  EXPECT_EQ(rows("call_count", "tool_days"), "3");
  EXPECT_EQ(rows("replies", "model_days"), "2");
  EXPECT_EQ(rows("total_conversations, total_tool_calls, total_tokens", "global_totals"),
            "1 3 150");
  EXPECT_EQ(rows("conversation_id, jobs", "conversation_metrics"), "job:a 1");
}

TEST_F(Dashboards, WhatAForkBeganWithIsCountedWhereItWasMade) {
  run_job({.job_id = "a"}, {{}});
  const std::string calls = rows("t", "tool_days AS t");
  const std::string replies = rows("m", "model_days AS m");
  JobCopy copy;
  copy.source = {TenantId("acme"), JobId("a")};
  copy.job = intake_job({.job_id = "fork"});
  copy.from_round = 1;
  copy.by = "tester";
  const auto made = copy_job(schema().access(), copy);
  ASSERT_TRUE(made) << made.error().message;
  const auto claimed = claim(self_, 10);
  ASSERT_EQ(claimed->jobs.size(), 1U);
  end(claimed->jobs[0], {.job_id = "fork"});
  EXPECT_EQ(rows("t", "tool_days AS t"), calls);
  EXPECT_EQ(rows("m", "model_days AS m"), replies);
  EXPECT_EQ(rows("job_id, step", "step_metrics"), "a 1");
  EXPECT_EQ(rows("job_id, steps, total_calls", "round_metrics"), "a 1 1\nfork 0 0");
}

TEST_F(Dashboards, MessagesAndSkillsThatAForkBeganWithAreCountedWhereTheyWereMade) {
  const ClaimedJob source = begun({.job_id = "a"});
  Delta opened = round_opened(source);
  opened.skills_used.push_back({{0, 0, 1}, "skill-1", "charts", "h1", "{}", 1});
  opened.messages_injected.push_back({{0, 0, 1}, HumanMessage{{}, "charts is active"}});
  ASSERT_TRUE(append(self_, opened));
  ASSERT_TRUE(append(self_, step_replied(source)));
  Delta outcome = call_finished(source);
  outcome.skills_used.push_back({{0, 1, 1}, "skill-2", "sql", "h2", "{}", 2});
  outcome.messages_injected.push_back({{0, 1, 2}, HumanMessage{{}, "sql is active"}});
  ASSERT_TRUE(append(self_, outcome));
  Delta broken = finished(source, "a");
  broken.rounds_closed[0].status = RoundStatus::Error;
  broken.finished->result.outcome = Outcome::Poisoned;
  broken.finished->result.error = JobError{"internal", "ATTEMPTS_EXHAUSTED", "crashed"};
  ASSERT_TRUE(append(self_, broken));

  JobCopy copy;
  copy.source = {TenantId("acme"), JobId("a")};
  copy.job = intake_job({.job_id = "fork"});
  copy.by = "tester";
  const auto made = copy_job(schema().access(), copy);
  ASSERT_TRUE(made) << made.error().message;
  const std::string columns = "job_id, skill_activations, unique_skills::text, messages_count";
  const std::string of_source = "a 2 {charts,sql} 5";
  EXPECT_EQ(rows(columns, "round_metrics"), of_source + "\nfork 0 {} 0");

  const auto claimed = claim(self_, 10);
  ASSERT_EQ(claimed->jobs.size(), 1U);
  const ClaimedJob& fork = claimed->jobs[0];
  ASSERT_TRUE(append(self_, step_replied(fork, 2)));
  Delta own = call_finished(fork, 2);
  own.skills_used.push_back({{0, 2, 1}, "skill-3", "maps", "h3", "{}", 3});
  own.messages_injected.push_back({{0, 2, 2}, HumanMessage{{}, "maps is active"}});
  ASSERT_TRUE(append(self_, own));
  end(fork, {.job_id = "fork"});
  EXPECT_EQ(rows(columns, "round_metrics"), of_source + "\nfork 1 {maps} 3");
  EXPECT_EQ(rows("job_id, step, skill_activations, messages_count", "step_metrics"),
            "a 1 1 3\nfork 2 1 3");
}

TEST_F(Dashboards, TheTotalsAreThoseOfAllConversations) {
  EXPECT_EQ(rows("g", "global_totals AS g"), "(0,0,0,0,0,0)");
  run_job({.job_id = "d", .tenant = "initech"}, {});
  schema().execute("UPDATE jobs SET first_claimed_at = finished_at - interval '1.5 s'");
  EXPECT_EQ(rows("g", "global_totals AS g"), "(1,0,150,1.500,0,250)") << "tokens, but no calls";
  run_job({.job_id = "a", .conversation = "talk"}, {{}, {}});
  run_job({.job_id = "b", .conversation = "talk"}, {});
  run_job({.job_id = "c", .tenant = "globex"}, {{}});
  schema().execute("UPDATE jobs SET first_claimed_at = finished_at - interval '1.5 s'");
  EXPECT_EQ(rows("t", "tenant_totals AS t"),
            "(acme,1,2,300,3.000,150.0,500)\n"
            "(globex,1,1,150,1.500,150.0,250)\n"
            "(initech,1,0,150,1.500,0,250)");
  EXPECT_EQ(rows("g", "global_totals AS g"), "(3,3,600,6.000,200.0,1000)");
}

TEST_F(Dashboards, RoundsAndStepsHaveTheirOwnSums) {
  run_job({.job_id = "a"}, {{.retries = 1}, {.state = ToolCallState::Failed}, {.cache_hit = true}});
  EXPECT_EQ(rows("job_id, round, status, steps, total_input_tokens, total_output_tokens,"
                 " cost_micro_usd, total_calls, successful_calls, failed_calls, retried_calls,"
                 " cache_hits",
                 "round_metrics"),
            "a 0 completed 1 100 10 250 3 2 1 1 1");
  EXPECT_EQ(rows("job_id, round, step, model, total_input_tokens, total_output_tokens,"
                 " cost_micro_usd, duration_ms, total_calls, successful_calls, failed_calls,"
                 " retried_calls, cache_hits",
                 "step_metrics"),
            "a 0 1 scripted-1 100 10 250 12 3 2 1 1 1");
}

TEST_F(Dashboards, RoundsAndStepsTellOfTheirTimesAndOfWhatWasCached) {
  const ClaimedJob job = begun({.job_id = "a"});
  ASSERT_TRUE(append(self_, round_opened(job)));
  for (const int cached : {0, 75}) {
    Delta step = step_replied(job, cached == 0 ? 1 : 2, 0);
    step.steps[0].message.usage = {
        .input_tokens = 100 - cached, .cache_read_tokens = cached, .output_tokens = 10};
    step.steps[0].latency = Milliseconds(12 + cached);
    ASSERT_TRUE(append(self_, step));
  }
  Delta last = finished(job, "a");
  last.rounds_closed[0].latency = Milliseconds(345);
  ASSERT_TRUE(append(self_, last));
  EXPECT_EQ(rows("total_input_tokens, cached_tokens, duration_ms, start_time < end_time,"
                 " start_time = (SELECT opened_at FROM rounds),"
                 " end_time = (SELECT closed_at FROM rounds)",
                 "round_metrics"),
            "200 75 345 t t t");
  EXPECT_EQ(rows("s.step, s.total_input_tokens, s.cached_tokens, s.duration_ms,"
                 " s.replied_at BETWEEN r.start_time AND r.end_time,"
                 " s.replied_at = (SELECT x.replied_at FROM steps x WHERE x.step = s.step)",
                 "step_metrics s, round_metrics r"),
            "1 100 0 12 t t\n2 100 75 87 t t");
}

TEST_F(Dashboards, RoundsAndStepsTellOfSkillsMessagesAndCompressions) {
  const ClaimedJob job = begun({.job_id = "a"});
  Delta opened = round_opened(job);
  opened.skills_used.push_back({{0, 0, 1}, "skill-1", "charts", "h1", "{}", 1});
  opened.messages_injected.push_back({{0, 0, 1}, HumanMessage{{}, "charts is active"}});
  ASSERT_TRUE(append(self_, opened));
  Delta step = step_replied(job, 1, 2);
  step.compressions.push_back({{0, 1, 0}, "extract", "too long", 9, 5, 900, 400, ""});
  ASSERT_TRUE(append(self_, step));
  Delta outcome = call_finished(job, 1, 0);
  outcome.skills_used.push_back({{0, 1, 1}, "skill-2", "sql", "h2", "{}", 2});
  outcome.skills_used.push_back({{0, 1, 2}, "", "maps", "h3", "{}", 0});
  outcome.messages_injected.push_back({{0, 1, 3}, HumanMessage{{}, "sql is active"}});
  ASSERT_TRUE(append(self_, outcome));
  ASSERT_TRUE(append(self_, call_finished(job, 1, 1)));
  ASSERT_TRUE(append(self_, step_replied(job, 2, 0)));
  end(job, {.job_id = "a"});
  const std::string columns =
      "skill_activations, unique_skills::text, messages_count, compression_events";
  EXPECT_EQ(rows(columns, "round_metrics"), "2 {charts,sql} 7 1");
  EXPECT_EQ(rows("step, " + columns, "step_metrics"), "1 1 {sql} 4 1\n2 0 {} 1 0");
}

TEST_F(Dashboards, AConversationTellsWhatWasCached) {
  run_job({.job_id = "a", .conversation = "talk"}, {{.cache_hit = true}, {}});
  run_job({.job_id = "b", .conversation = "talk"}, {{.cache_hit = true}});
  EXPECT_EQ(rows("jobs, cached_tokens, cache_hits", "conversation_metrics"), "2 80 2");
}

TEST_F(Dashboards, AConversationIsTheSumOfItsJobsReports) {
  const auto report = [](int n, const std::string& skills) {
    const std::string at = "2026-01-0" + std::to_string(n);
    return R"({"start_time":")" + at + R"(T00:00:00Z","end_time":")" + at +
           R"(T00:00:01Z","total_duration_ms":"1000","total_input_tokens":"7",)"
           R"("total_output_tokens":"3","total_tokens":"10","successful_calls":2,)"
           R"("retried_calls":1,"skill_activations":3,"compression_events":5,)"
           R"("messages_count":4,"unique_skills":[)" +
           skills + "]}";
  };
  int n = 0;
  for (const char* skills : {R"("sql","charts")", R"("sql")"}) {
    const JobSpec spec{.job_id = "j" + std::to_string(++n), .conversation = "talk"};
    const ClaimedJob job = begun(spec);
    Delta end = finished(job, spec.job_id);
    end.rounds_closed.clear();
    end.finished->metrics_json = report(n, skills);
    ASSERT_TRUE(append(self_, end));
  }
  EXPECT_EQ(
      rows("conversation_id, jobs, start_time AT TIME ZONE 'UTC', end_time AT TIME ZONE 'UTC',"
           " total_duration_ms, total_tokens, successful_calls, failed_calls, messages_count,"
           " unique_skills::text",
           "conversation_metrics"),
      "talk 2 2026-01-01 00:00:00 2026-01-02 00:00:01 2000 20 4 0 8 {charts,sql}");
  EXPECT_EQ(rows("total_input_tokens, total_output_tokens, retried_calls, skill_activations,"
                 " compression_events, cost_micro_usd",
                 "conversation_metrics"),
            "14 6 2 6 10 500");
}

TEST_F(Dashboards, NothingChangesWhenWhatIsCountedIsRemoved) {
  for (int i = 0; i < 4; ++i)
    run_job({.job_id = "a" + std::to_string(i)},
            {{.duration = Milliseconds(i)}, {.duration = Milliseconds(63 - i)}});
  run_job({.job_id = "b"}, {{.state = ToolCallState::Failed, .cache_hit = true, .tokens = 8}},
          Outcome::Cancelled);
  run_job({.job_id = "c", .tenant = "globex"}, {{.retries = 3}});
  rig().age(31 * kDay);
  run_job({.job_id = "young"}, {{}});
  const std::string before = all_sums();
  EXPECT_THAT(before, HasSubstr("cancelled"));
  int removed = 0;
  for (int batch = 0; batch < 20 && count("jobs") != "1"; ++batch) {
    const auto gone = remove_old(1);
    ASSERT_TRUE(gone) << gone.error().message;
    removed += static_cast<int>(gone->jobs);
    EXPECT_EQ(all_sums(), before) << "after " << removed << " jobs";
  }
  EXPECT_EQ(removed, 6);
  EXPECT_EQ(remove_old()->jobs, 0);
  EXPECT_EQ(all_sums(), before);
}

TEST_F(Dashboards, ThePercentileOfWhatWasRemovedIsAtMostA32ndTooLong) {
  for (const std::int64_t ms : {0, 1, 63, 64, 65, 127, 128, 1000, 4095, 4096, 100'000, 3'600'000}) {
    const std::string tenant = "t" + std::to_string(ms);
    run_job({.job_id = "a", .tenant = tenant}, {{.duration = Milliseconds(ms)}});
    rig().age(31 * kDay);
    const std::string days = "tool_days WHERE tenant = '" + tenant + "'";
    EXPECT_EQ(rows("p95_duration_ms", days), std::to_string(ms));
    ASSERT_EQ(remove_old()->jobs, 1);
    const std::int64_t p95 = std::stoll(rows("p95_duration_ms", days));
    EXPECT_GE(p95, ms);
    EXPECT_LE(p95, ms + ms / 32);
    EXPECT_TRUE(ms >= 64 || p95 == ms) << p95;
  }
}

/// One transaction: what is not removed after all isn't counted twice.
TEST_F(Dashboards, ARemovalThatFailsLeavesNoSums) {
  run_job({.job_id = "a"}, {{}});
  rig().age(31 * kDay);
  const std::string before = all_sums();
  schema().execute(R"sql(
    CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'no'; END $$;
    CREATE TRIGGER fail BEFORE DELETE ON metrics FOR EACH ROW EXECUTE FUNCTION fail())sql");
  EXPECT_FALSE(remove_old());
  schema().execute("DROP TRIGGER fail ON metrics; DROP FUNCTION fail()");
  EXPECT_EQ(count("removed_jobs"), "0");
  EXPECT_EQ(all_sums(), before);
  EXPECT_EQ(remove_old()->jobs, 1);
  EXPECT_EQ(all_sums(), before);
}

/// ops/dashboards, as Grafana would ask.
TEST_F(Dashboards, TheShippedDashboardsQueriesAreAnswered) {
  std::ifstream in("ops/dashboards/ba-agent.json");
  int queries = 0;
  const nlohmann::json flat = nlohmann::json::parse(in).flatten();
  for (const auto& [path, value] : flat.items()) {
    if (!path.ends_with("/rawSql")) continue;
    std::string sql = std::regex_replace(value.get<std::string>(), std::regex(R"(\bba\.)"), "");
    sql = std::regex_replace(sql, std::regex(R"(\$__timeFilter\(([^)]*)\))"),
                             "$1 BETWEEN now() - interval '1 day' AND now()");
    schema().execute("SELECT FROM (" + sql + ") AS answer");  // throws where it isn't
    ++queries;
  }
  EXPECT_EQ(queries, 5);
}

TEST_F(Dashboards, ADayIsFoundByItsIndex) {
  // So many that the server has a choice to make.
  schema().execute("INSERT INTO conversations (tenant, conversation_id) VALUES ('acme', 'days')");
  schema().execute(
      "INSERT INTO jobs (tenant, job_id, conversation, lane, payload, source_topic,"
      " source_topic_id, source_partition, source_offset, created_at, state, incarnation, outcome,"
      " result, finished_at) SELECT 'acme', 'd' || n, c.id, 0, '', '', '', 0, n, now(), 'finished',"
      " 1, 'completed', '', timestamptz '2026-01-01' + n * interval '1 hour'"
      " FROM conversations c, generate_series(1, 3000) AS n WHERE c.conversation_id = 'days'");
  // Each with a reply and a call: the server would begin at an empty table.
  run_job({.job_id = "model"}, {{}});
  for (const std::string table : {"steps", "tool_calls"})
    schema().execute("INSERT INTO " + table +
                     " SELECT (jsonb_populate_record(one, jsonb_build_object('job', id))).* FROM " +
                     table + " AS one, jobs WHERE job_id LIKE 'd%'");
  schema().execute("ANALYZE jobs, steps, tool_calls");
  schema().execute("SET enable_seqscan = off");
  for (const char* view : {"job_days", "tool_days", "model_days"})
    EXPECT_THAT(schema().query("EXPLAIN (FORMAT JSON) SELECT * FROM " + std::string(view) +
                               " WHERE day = '2026-01-01' AND tenant = 'acme'"),
                HasSubstr("jobs_by_day"))
        << view;
  schema().execute("RESET enable_seqscan");
}

}  // namespace
}  // namespace ba::storage
