// SPDX-License-Identifier: Apache-2.0
// The reports that people ask the ledger for.
#include "storage/reports.hpp"

#include "tests/storage/storage_fixture.hpp"

namespace ba::storage {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class Reports : public StorageTest {
 protected:
  ClaimedJob begun(const JobSpec& spec) {
    const auto answer = intake(self_, batch_of({spec}), 10);
    EXPECT_EQ(answer->jobs.size(), 1U) << spec.job_id;
    const ClaimedJob job = answer->jobs.at(0);
    EXPECT_TRUE(append(self_, round_opened(job)));
    return job;
  }

  void call(const ClaimedJob& job, int step, Milliseconds duration) {
    ASSERT_TRUE(append(self_, step_replied(job, step)));
    Delta outcome = call_finished(job, step);
    ToolResult& result = outcome.calls_finished.at(0).result;
    result.duration = duration;
    result.retry_count = 1;
    result.telemetry.execution_id = "run-1";
    result.telemetry.input_tokens = 10;
    result.telemetry.output_tokens = 32;
    ASSERT_TRUE(append(self_, outcome));
  }

  void end(const ClaimedJob& job, const std::string& id, const std::string& metrics) {
    Delta last = finished(job, id);
    last.finished->metrics_json = metrics;
    ASSERT_TRUE(append(self_, last));
  }

  static std::string metrics(const std::string& start, const std::string& end,
                             const std::string& skills) {
    return R"({"start_time":")" + start + R"(","end_time":")" + end +
           R"(","total_duration_ms":"1500","skill_activations":2,"unique_skills":[)" + skills +
           R"(],"messages_count":4,"compression_events":1,"report":"Conversation Metrics Report\n"})";
  }

  std::optional<ConversationSums> sums(const std::string& tenant, const std::string& name) {
    const auto found =
        find_conversation_report(schema().access(), TenantId(tenant), ConversationId(name));
    EXPECT_TRUE(found) << found.error().message;
    return found ? *found : std::nullopt;
  }

  std::optional<JobReport> of_job(const std::string& name) {
    const auto found = find_job_report(schema().access(), TenantId("acme"), JobId(name));
    EXPECT_TRUE(found) << found.error().message;
    return found ? *found : std::nullopt;
  }

  const IncarnationId self_ = enter();
};

TEST_F(Reports, AJobsIsTheOneThatWasPublished) {
  const std::string published =
      metrics("2026-03-01T10:00:00Z", "2026-03-01T10:00:02Z", R"("charts")");
  end(begun({.job_id = "a", .conversation = "a"}), "a", published);
  const auto report = of_job("a");
  ASSERT_TRUE(report);
  EXPECT_EQ(report->state, "finished");
  EXPECT_EQ(report->metrics_json, published);
  EXPECT_EQ(report->text, "Conversation Metrics Report\n");
  EXPECT_TRUE(report->names_conversation);
  EXPECT_FALSE(of_job("b"));
}

TEST_F(Reports, AJobThatHasNotEndedHasNone) {
  begun({.job_id = "a", .conversation = "talk"});
  const auto report = of_job("a");
  ASSERT_TRUE(report);
  EXPECT_EQ(report->state, "running");
  EXPECT_EQ(report->metrics_json, "");
  EXPECT_FALSE(report->names_conversation);
}

TEST_F(Reports, AConversationWithoutAJobThatEndedIsThereAndHasNone) {
  call(begun({.job_id = "a", .conversation = "talk"}), 1, Milliseconds(7));
  const auto found = sums("acme", "talk");
  ASSERT_TRUE(found) << "there is such a conversation";
  EXPECT_EQ(found->jobs, 0);
  EXPECT_EQ(found->unfinished_jobs, 1);
  EXPECT_EQ(found->removed_jobs, 0);
  EXPECT_THAT(found->report.tools, testing::IsEmpty()) << "calls of jobs that are in it, alone";
}

/// One that ended by itself has its own; one that ended with the job that asked for it has none.
TEST_F(Reports, ASubAgentsJobHasItsOwnUnlessItEndedWithItsJob) {
  const ClaimedJob asking = begun({.job_id = "a", .conversation = "talk"});
  ASSERT_TRUE(append(self_, step_replied(asking, 1)));
  const auto sub_agent = [&](const std::string& name, int number) {
    SubAgentOrder order;
    order.asked_by = {asking.id, {0, 1, number}};
    order.job.tenant = TenantId("acme");
    order.job.job_id = JobId(name);
    order.job.conversation_id = ConversationId(name);
    order.job.messages = {"look"};
    const auto standing =
        await<SubAgentStanding>([&](auto done) { ledger().begin_sub_agent(self_, order, done); });
    EXPECT_TRUE(standing && standing->claimed);
    EXPECT_TRUE(append(self_, round_opened(*standing->claimed)));
    return *standing->claimed;
  };
  const std::string own = metrics("2026-03-01T10:00:00Z", "2026-03-01T10:00:02Z", "");
  Delta ended = finished(sub_agent("sub-agent:by-itself", 1), "sub-agent:by-itself");
  ended.finished->metrics_json = own;
  ended.finished->of_sub_agent = true;
  ended.finished->outbox.clear();
  ASSERT_TRUE(append(self_, ended));
  sub_agent("sub-agent:with-its-job", 2);
  EXPECT_EQ(of_job("sub-agent:with-its-job")->state, "running");
  Delta last = finished(asking, "a");
  last.finished->metrics_json = own;
  last.finished->ends_sub_agents = true;
  ASSERT_TRUE(append(self_, last));

  EXPECT_EQ(of_job("sub-agent:by-itself")->metrics_json, own);
  const auto none = of_job("sub-agent:with-its-job");
  ASSERT_TRUE(none);
  EXPECT_EQ(none->state, "finished");
  EXPECT_EQ(none->metrics_json, "");
  EXPECT_EQ(none->text, "");
  const auto its = sums("acme", "sub-agent:with-its-job");
  ASSERT_TRUE(its);
  EXPECT_EQ(its->jobs, 0);
  EXPECT_EQ(its->unreported_jobs, 1);
  EXPECT_EQ(its->removed_jobs, 0) << "it is there, and has none";
  const auto conversation = sums("acme", "talk");
  ASSERT_TRUE(conversation);
  EXPECT_EQ(conversation->jobs, 1) << "what sub-agents took is in their job's report";
}

TEST_F(Reports, AConversationsIsOfAllItsJobsThatEnded) {
  const ClaimedJob first = begun({.job_id = "a", .conversation = "talk"});
  call(first, 1, Milliseconds(7));
  call(first, 2, Milliseconds(90));
  end(first, "a", metrics("2026-03-01T10:00:00Z", "2026-03-01T10:00:02Z", R"("sql","charts")"));
  const ClaimedJob second = begun({.job_id = "b", .conversation = "talk"});
  call(second, 1, Milliseconds(11));
  end(second, "b", metrics("2026-03-02T10:00:00Z", "2026-03-02T10:00:02Z", R"("charts")"));
  const ClaimedJob other = begun({.job_id = "x", .conversation = "elsewhere"});
  call(other, 1, Milliseconds(500));
  end(other, "x", metrics("2026-01-01T10:00:00Z", "2026-05-01T10:00:02Z", R"("maps")"));
  call(begun({.job_id = "c", .conversation = "talk"}), 1, Milliseconds(900));

  const auto found = sums("acme", "talk");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->jobs, 2);
  EXPECT_EQ(found->unfinished_jobs, 1);
  EXPECT_EQ(found->removed_jobs, 0);
  const ConversationReport& report = found->report;
  EXPECT_EQ(report.conversation_id, ConversationId("talk"));
  EXPECT_EQ(report.total_duration_ms, 3000);
  EXPECT_EQ(report.end_time - report.start_time, std::chrono::hours(24) + std::chrono::seconds(2));
  EXPECT_EQ(report.totals.usage.input_tokens, 200);
  EXPECT_EQ(report.totals.usage.output_tokens, 20);
  EXPECT_EQ(report.totals.cost_micro_usd, 500);
  EXPECT_TRUE(report.totals.cost_known);
  EXPECT_EQ(report.totals.rounds, 2);
  EXPECT_EQ(report.skill_activations, 4);
  EXPECT_THAT(report.unique_skills, ElementsAre("charts", "sql"));
  EXPECT_EQ(report.messages_count, 8);
  EXPECT_EQ(report.compression_events, 2);
  EXPECT_EQ(report.successful_calls, 3);
  EXPECT_EQ(report.retried_calls, 3);
  ASSERT_EQ(report.tools.size(), 1U);
  EXPECT_EQ(report.tools[0].call_count, 3);
  EXPECT_EQ(report.tools[0].avg_duration_ms, 36);
  EXPECT_EQ(report.tools[0].avg_tokens, 42);
  EXPECT_EQ(report.tools[0].p95_duration_ms, 90);
}

/// A report of an earlier version says nothing of it.
TEST_F(Reports, WhatAConversationsJobsSavedIsAddedUp) {
  const std::string before = metrics("2026-03-01T10:00:00Z", "2026-03-01T10:00:02Z", "");
  const std::string saved =
      before.substr(0, before.size() - 1) +
      R"(,"saved_tokens":"10","saved_micro_usd":"-20","savings":{"cache":{"tokens":"1","micro_usd":"2"},)"
      R"("encoding":{"tokens":"3"},"shared_results":{},"compression":{"tokens":"6","micro_usd":"-22"}}})";
  end(begun({.job_id = "a", .conversation = "talk"}), "a", before);
  const std::string none = "job_id, saved_tokens, cache_micro_usd, encoding_tokens";
  EXPECT_EQ(schema().query("SELECT concat_ws(' ', " + none + ") FROM job_savings"), "a 0 0 0");
  EXPECT_EQ(sums("acme", "talk")->report.totals.savings, Savings{});
  for (const std::string id : {"b", "c"})
    end(begun({.job_id = id, .conversation = "talk"}), id, saved);
  EXPECT_EQ(sums("acme", "talk")->report.totals.savings,
            (Savings{{2, 4}, {6, 0}, {0, 0}, {12, -44}}));
  EXPECT_EQ(schema().query("SELECT concat_ws(' ', saved_tokens, saved_micro_usd) FROM"
                           " conversation_metrics"),
            "20 -40");
  EXPECT_EQ(schema().query("SELECT concat_ws(' ', saved_tokens, saved_micro_usd, cache_tokens,"
                           " compression_micro_usd) FROM job_savings WHERE job_id = 'b'"),
            "10 -20 1 -22");
}

TEST_F(Reports, OneOfAnotherTenantOrOfNoNameIsNone) {
  end(begun({.job_id = "a", .conversation = "talk"}), "a",
      metrics("2026-03-01T10:00:00Z", "2026-03-01T10:00:02Z", ""));
  EXPECT_FALSE(sums("globex", "talk"));
  EXPECT_FALSE(sums("acme", "nowhere"));
}

TEST_F(Reports, JobsThatRetentionRemovedAreCounted) {
  for (const std::string id : {"a", "b"})
    end(begun({.job_id = id, .conversation = "talk"}), id,
        metrics("2026-03-01T10:00:00Z", "2026-03-01T10:00:02Z", ""));
  schema().execute("DELETE FROM metrics WHERE job = (SELECT id FROM jobs WHERE job_id = 'a')");
  schema().execute("DELETE FROM jobs WHERE job_id = 'a'");
  const auto found = sums("acme", "talk");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->jobs, 1);
  EXPECT_EQ(found->removed_jobs, 1);
}

}  // namespace
}  // namespace ba::storage
