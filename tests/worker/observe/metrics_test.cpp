// SPDX-License-Identifier: Apache-2.0
#include "worker/observe/metrics.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <regex>
#include <set>
#include <sstream>
#include <thread>

#include "pipeline/core/artifact/artifact_keeper.hpp"
#include "pipeline/core/cache/shared_cache.hpp"
#include "pipeline/text/contract/record.hpp"

namespace ba::observe {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using Seconds = Metrics::Seconds;

TEST(Metrics, CountsUnderTheirLabels) {
  Metrics metrics("1.2.3", "abc");
  metrics.jobs_consumed(Lane::High, 3);
  metrics.job_finished(Lane::Normal, Outcome::StepLimit, Seconds(2),
                       WallTime{Microseconds(5'000'000)});
  metrics.dead_letters("BAD_JSON", 1);
  metrics.tool_call("query_database", "succeeded", Seconds(0.1));
  const std::string text = metrics.exposition();
  EXPECT_THAT(text, HasSubstr("ba_build_info{commit=\"abc\",version=\"1.2.3\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("ba_jobs_consumed_total{lane=\"high\"} 3\n"));
  EXPECT_THAT(text, HasSubstr("ba_jobs_finished_total{lane=\"normal\",outcome=\"step_limit\"} 1"));
  EXPECT_THAT(text, HasSubstr("ba_last_job_finished_timestamp_seconds 5\n"));
  EXPECT_THAT(text, HasSubstr("ba_dead_letters_total{reason=\"BAD_JSON\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("ba_tool_duration_seconds_bucket{tool=\"query_database\",le="));
  EXPECT_THAT(text, HasSubstr("# TYPE ba_jobs_consumed_total counter\n"));
}

TEST(Metrics, SplitsTokensByTypeAndCountsCost) {
  Metrics metrics("1", "c");
  Metrics::ModelCallSeen call;
  call.provider = "anthropic";
  call.model = "sonnet";
  call.outcome = "ok";
  call.duration = Seconds(1.5);
  call.usage = {100, 20, 0, 7, 3};
  call.cost_micro_usd = 2500;
  call.retries = 2;
  metrics.model_call(call);
  metrics.model_calls_lost("smart", 2);
  const std::string text = metrics.exposition();
  const std::string labels = "{model=\"sonnet\",provider=\"anthropic\"";
  EXPECT_THAT(text, HasSubstr("ba_model_tokens_total" + labels + ",type=\"input\"} 100\n"));
  EXPECT_THAT(text, HasSubstr("ba_model_tokens_total" + labels + ",type=\"cache_read\"} 20\n"));
  EXPECT_THAT(text, Not(HasSubstr("type=\"cache_write\"")));
  EXPECT_THAT(text, HasSubstr("ba_model_cost_usd_total" + labels + "} 0.0025\n"));
  EXPECT_THAT(text, HasSubstr("ba_model_retries_total" + labels + "} 2\n"));
  EXPECT_THAT(text, HasSubstr("ba_model_wasted_calls_total{model=\"smart\"} 2\n"));
}

TEST(Metrics, ASavingThatIsNegativeIsALoss) {
  Metrics metrics("1", "c");
  metrics.saved({{100, -30}, {}, {}, {-7, 20}});
  metrics.saved({{10, 5}, {}, {}, {-1, -2}});
  const std::string text = metrics.exposition();
  const auto expect = [&](const std::string& by, const std::string& sign, const std::string& tokens,
                          const std::string& micro_usd) {
    const std::string labels = "{by=\"" + by + "\",sign=\"" + sign + "\"} ";
    EXPECT_THAT(text, HasSubstr("ba_saved_tokens_total" + labels + tokens + "\n"));
    EXPECT_THAT(text, HasSubstr("ba_saved_micro_usd_total" + labels + micro_usd + "\n"));
  };
  expect("cache", "gain", "110", "5");
  expect("cache", "loss", "0", "30");
  expect("encoding", "gain", "0", "0");
  expect("shared_results", "loss", "0", "0");
  expect("compression", "gain", "0", "20");
  expect("compression", "loss", "8", "2");
}

TEST(Metrics, ShowsHowManyToolsAreLeftOutNowAndWhy) {
  Metrics metrics("1", "c");
  metrics.tools_left_out("schema", 3);
  metrics.tools_left_out("too_many", 6);
  metrics.tools_left_out("schema", 0);
  const std::string text = metrics.exposition();
  EXPECT_THAT(text, HasSubstr("ba_tools_left_out{reason=\"schema\"} 0\n"));
  EXPECT_THAT(text, HasSubstr("ba_tools_left_out{reason=\"too_many\"} 6\n"));
}

TEST(Metrics, FollowsATotalThatMayBeginAnew) {
  Metrics metrics("1", "c");
  for (const std::int64_t total : {4, 4, 6, 1, 2}) metrics.rebalances(total);
  EXPECT_THAT(metrics.exposition(), HasSubstr("ba_kafka_rebalances_total 8\n"));
}

TEST(Metrics, ShowsWhatTheResultCacheCounts) {
  Metrics metrics("1", "c");
  CacheCounters counts;
  counts.local_hits = 1;
  metrics.cache_totals(counts);
  counts = {3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
  metrics.cache_totals(counts);
  const std::string text = metrics.exposition();
  for (const char* line :
       {"hits_total{source=\"local\"} 3", "hits_total{source=\"store\"} 4",
        "hits_total{source=\"flight\"} 5", "misses_total{reason=\"absent\"} 6",
        "misses_total{reason=\"takeover\"} 7", "misses_total{reason=\"patience\"} 8",
        "misses_total{reason=\"unreachable\"} 9", "waits_total 10",
        "removed_total{reason=\"expired\"} 11", "removed_total{reason=\"room\"} 12"})
    EXPECT_THAT(text, HasSubstr(std::string("\nba_result_cache_") + line + "\n"));
}

TEST(Metrics, ShowsWhatBecameOfArtifacts) {
  Metrics metrics("1", "c");
  metrics.artifact_totals({1, 200, 3, 4, 5, 6, 7, {8, 9, 10, 11, 120, 13, false}});
  const std::string text = metrics.exposition();
  for (const char* line :
       {"kept_total 1", "kept_bytes_total 200", "deduplicated_total 3", "read_total 4",
        "failures_total{operation=\"keep\"} 5", "failures_total{operation=\"read\"} 6",
        "failures_total{operation=\"clean\"} 7", "removed_total{reason=\"age\"} 8",
        "removed_total{reason=\"unreferenced\"} 9", "removed_total{reason=\"closed\"} 10",
        "removed_total{reason=\"room\"} 11", "removed_bytes_total 120",
        "removed_total{reason=\"orphan\"} 13"})
    EXPECT_THAT(text, HasSubstr(std::string("\nba_artifacts_") + line + "\n"));
}

TEST(Metrics, ShowsEachReasonFromTheStartSoThatItsFirstIncreaseIsSeen) {
  const std::string text = Metrics("1", "c").exposition();
  EXPECT_THAT(text, HasSubstr("ba_result_cache_misses_total{reason=\"takeover\"} 0\n"));
  EXPECT_THAT(text, HasSubstr("ba_artifacts_failures_total{operation=\"keep\"} 0\n"));
  for (const std::string_view reason : kRecordCodes)
    EXPECT_THAT(text,
                HasSubstr("ba_dead_letters_total{reason=\"" + std::string(reason) + "\"} 0\n"));
}

TEST(Metrics, BoundsTheNumberOfSeries) {
  Metrics metrics("1", "c");
  for (int i = 0; i < 1000; ++i)
    metrics.tool_call("tool" + std::to_string(i), "succeeded", Seconds(0));
  const std::string text = metrics.exposition();
  EXPECT_THAT(text, HasSubstr("ba_tool_calls_total{outcome=\"other\",tool=\"other\"} 800\n"));
  EXPECT_THAT(text, Not(HasSubstr("tool=\"tool200\"")));
}

/// Names of families, with the rules of the exposition format checked line by line.
std::set<std::string> checked_families(const std::string& text) {
  const std::regex help("# HELP ([a-z_]+) .+");
  const std::regex type("# TYPE ([a-z_]+) (counter|gauge|histogram)");
  const std::regex sample(
      R"re(([a-z_]+)(\{([a-z_]+="([^"\\\n]|\\["\\n])*",?)+\})? (\+Inf|NaN|[-+0-9.e]+))re");
  std::set<std::string> families;
  std::istringstream lines(text);
  std::smatch match;
  for (std::string line; std::getline(lines, line);) {
    if (std::regex_match(line, match, type)) {
      EXPECT_TRUE(families.insert(match[1]).second) << "twice: " << line;
      const bool total = std::regex_match(std::string(match[1]), std::regex(".*_total"));
      EXPECT_EQ(match[2] == "counter", total) << line;
    } else if (!std::regex_match(line, help)) {
      EXPECT_TRUE(std::regex_match(line, match, sample)) << line;
    }
  }
  return families;
}

TEST(Metrics, ExpositionIsWellFormed) {
  Metrics metrics("1", "c");
  metrics.dead_letters("quote \" backslash \\ line \n end", 1);
  metrics.consumer_lag(Lane::Batch, 1);
  metrics.ledger_totals(5, 2, 0);
  metrics.outbox_published(10);
  const std::set<std::string> families = checked_families(metrics.exposition());
  for (const std::string& name : families)
    EXPECT_TRUE(name.rfind("ba_", 0) == 0 || name.rfind("process_", 0) == 0) << name;
  EXPECT_GT(families.count("ba_ledger_deltas_total"), 0U);
}

TEST(Metrics, ShowsTheProcess) {
  const std::string text = Metrics("1", "c").exposition();
  std::smatch match;
  ASSERT_TRUE(
      std::regex_search(text, match, std::regex("process_resident_memory_bytes ([0-9.e+]+)")));
  EXPECT_GT(std::stod(match[1]), 1e6);
  ASSERT_TRUE(std::regex_search(text, match, std::regex("process_start_time_seconds ([0-9.e+]+)")));
  EXPECT_GT(std::stod(match[1]), 1.6e9);
}

TEST(Metrics, CanBeUsedFromSeveralThreads) {
  Metrics metrics("1", "c");
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&metrics] {
      for (int i = 0; i < 2000; ++i)
        metrics.tool_call(i % 2 == 0 ? "a" : "b", "succeeded", Seconds(0.001));
    });
  for (int i = 0; i < 20; ++i) EXPECT_FALSE(metrics.exposition().empty());
  for (std::thread& thread : threads) thread.join();
  EXPECT_THAT(metrics.exposition(),
              HasSubstr("ba_tool_calls_total{outcome=\"succeeded\",tool=\"a\"} 4000\n"));
}

}  // namespace
}  // namespace ba::observe
