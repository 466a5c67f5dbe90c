// SPDX-License-Identifier: Apache-2.0
#include "pipeline/core/metrics/conversation_report.hpp"

#include <gtest/gtest.h>

namespace ba {
namespace {

JobMetrics sample() {
  JobMetrics metrics;
  metrics.conversation_id = ConversationId("c-1");
  metrics.start_time = WallTime(Microseconds(1'772'366'400'000'000));
  metrics.end_time = metrics.start_time + Milliseconds(12'345);
  metrics.tool_calls = {{"file_reader", Milliseconds(7), 40, true, false},
                        {"query_database", Milliseconds(10), 0, true, false, true},
                        {"query_database", Milliseconds(25), 0, false, true},
                        {"activate_skill", Milliseconds(1), 3, true, false}};
  metrics.totals.usage = {1'234'000, 500, 67, 999, 10};
  metrics.totals.cost_micro_usd = 1'234'567;
  metrics.totals.savings = {{500, -20}, {1'234'567, 3'703'701}, {0, 0}, {-1'200, -3'600}};
  metrics.skill_activations = 3;
  metrics.skills = {"sql", "charts", "sql"};
  metrics.messages_count = 9;
  metrics.compression_events = 1;
  return metrics;
}

TEST(ConversationReport, HasTheExactLines) {
  EXPECT_EQ(to_text(conversation_report(sample())),
            "Conversation Metrics Report\n"
            "============================\n"
            "Conversation ID: c-1\n"
            "Duration: 12.3s\n"
            "\n"
            "Token Usage:\n"
            "  - Input: 1,234,567\n"
            "  - Output: 999\n"
            "  - Total: 1,235,566\n"
            "Tool Calls:\n"
            "  - Total: 4\n"
            "  - Successful: 3\n"
            "  - Failed: 1\n"
            "  - Retried: 1\n"
            "Per-Tool Statistics:\n"
            "  query_database:\n"
            "    - Calls: 2\n"
            "    - Avg Duration: 17.5ms\n"
            "    - Avg Tokens: 0\n"
            "    - Success Rate: 50.0%\n"
            "  activate_skill:\n"
            "    - Calls: 1\n"
            "    - Avg Duration: 1.0ms\n"
            "    - Avg Tokens: 3\n"
            "    - Success Rate: 100.0%\n"
            "  file_reader:\n"
            "    - Calls: 1\n"
            "    - Avg Duration: 7.0ms\n"
            "    - Avg Tokens: 40\n"
            "    - Success Rate: 100.0%\n"
            "Skills Activated:\n"
            "  - Total: 3\n"
            "  - Unique: 2\n"
            "  - Skills: charts, sql\n"
            "Context Management:\n"
            "  - Messages: 9\n"
            "  - Compressions: 1\n"
            "Cost:\n"
            "  - Total: $1.234567\n"
            "Cache:\n"
            "  - Hits: 1\n"
            "  - query_database: 1 (50.0%)\n"
            "P95 Duration:\n"
            "  - query_database: 25ms\n"
            "  - activate_skill: 1ms\n"
            "  - file_reader: 7ms\n"
            "Prompt Cache:\n"
            "  - Cached Input: 500 (0.0%)\n"
            "Savings:\n"
            "  - Total: 1,233,867 tokens, $3.700081\n"
            "  - Cache: 500 tokens, -$0.000020\n"
            "  - Encoding: 1,234,567 tokens, $3.703701\n"
            "  - Shared Results: 0 tokens, $0.000000\n"
            "  - Compression: -1,200 tokens, -$0.003600\n");
}

TEST(ConversationReport, AJobWithoutCallsHasNoStatistics) {
  JobMetrics metrics;
  metrics.totals.cost_known = false;
  const std::string text = to_text(conversation_report(metrics));
  EXPECT_NE(text.find("Duration: 0.0s\n"), std::string::npos);
  EXPECT_NE(text.find("Per-Tool Statistics:\nSkills Activated:\n"), std::string::npos);
  EXPECT_NE(text.find("  - Skills: None\n"), std::string::npos);
  EXPECT_NE(text.find("  - Total: >= $0.000000\nCache:\n  - Hits: 0\nPrompt Cache:\n"
                      "  - Cached Input: 0 (0.0%)\nSavings:\n"
                      "  - Total: 0 tokens, $0.000000 (some calls have no price)\n"),
            std::string::npos);
}

/// The sections that dashboards of the documents parse come first, in this order.
TEST(ConversationReport, WhatIsBeyondTheFixedLinesComesAfterThem) {
  const std::string text = to_text(conversation_report(sample()));
  std::size_t at = 0;
  for (const char* title : {"Conversation Metrics Report\n", "Token Usage:\n", "\nTool Calls:\n",
                            "Per-Tool Statistics:\n", "Skills Activated:\n",
                            "Context Management:\n", "  - Compressions: 1\n", "Cost:\n",
                            "\nCache:\n", "P95 Duration:\n", "Prompt Cache:\n", "\nSavings:\n"}) {
    const std::size_t found = text.find(title);
    ASSERT_NE(found, std::string::npos) << title;
    EXPECT_GE(found, at) << title;
    at = found;
  }
}

/// Nearest rank: ceil(0.95 n) of the sorted durations, counted from 1.
TEST(ConversationReport, TheP95IsADurationThatOccurred) {
  const std::pair<int, std::int64_t> ranks[] = {{1, 1},   {2, 2},   {10, 10}, {19, 19},
                                                {20, 19}, {21, 20}, {100, 95}};
  for (const auto& [calls, p95] : ranks) {
    JobMetrics metrics;
    for (int i = calls; i > 0; --i)  // the order doesn't matter
      metrics.tool_calls.push_back({"t", Milliseconds(i), 0, true});
    EXPECT_EQ(conversation_report(metrics).tools[0].p95_duration_ms, p95) << calls << " calls";
  }
}

TEST(ConversationReport, ARetriedCallCountsOnceHoweverOftenItWasRetried) {
  JobMetrics metrics;
  metrics.tool_calls = {{"t", Milliseconds(1), 0, true, true},
                        {"t", Milliseconds(1), 0, false, true},
                        {"t", Milliseconds(1), 0, true, false}};
  EXPECT_EQ(conversation_report(metrics).retried_calls, 2);
  EXPECT_EQ(conversation_report(metrics).total_calls(), 3);
}

TEST(ConversationReport, TheShareOfCachedInputIsOfAllInput) {
  JobMetrics metrics;
  metrics.totals.usage = {100, 600, 100, 50, 0};
  EXPECT_DOUBLE_EQ(conversation_report(metrics).cached_input_share(), 0.75);
  EXPECT_EQ(conversation_report({}).cached_input_share(), 0);
}

TEST(ConversationReport, ToolsWithTheMostCallsComeFirstThenByName) {
  JobMetrics metrics;
  for (const char* name : {"b", "c", "a", "c"})
    metrics.tool_calls.push_back({name, Milliseconds(1), 0, true});
  const ConversationReport report = conversation_report(metrics);
  ASSERT_EQ(report.tools.size(), 3U);
  EXPECT_EQ(report.tools[0].tool_name + report.tools[1].tool_name + report.tools[2].tool_name,
            "cab");
}

TEST(ConversationReport, ThousandsAreSeparated) {
  const std::pair<std::int64_t, const char*> samples[] = {
      {0, "0"}, {999, "999"}, {1000, "1,000"}, {123456, "123,456"}, {1234567, "1,234,567"}};
  for (const auto& [tokens, text] : samples) {
    JobMetrics metrics;
    metrics.totals.usage.output_tokens = tokens;
    EXPECT_NE(to_text(conversation_report(metrics)).find("  - Output: " + std::string(text) + "\n"),
              std::string::npos);
  }
}

TEST(ConversationReport, IsAlsoData) {
  const ConversationReport report = conversation_report(sample());
  EXPECT_EQ(report.total_duration_ms, 12'345);
  EXPECT_EQ(report.successful_calls, 3);
  EXPECT_EQ(report.failed_calls, 1);
  EXPECT_EQ(report.retried_calls, 1);
  EXPECT_EQ(report.tools[0], (ToolStatistics{"query_database", 2, 17.5, 0, 0.5, 0.5, 1, 0.5, 25}));
  EXPECT_EQ(report.tools[1].cache_hits, 0);
  EXPECT_EQ(report.tools[1].cache_hit_rate, 0);
  EXPECT_EQ(report.unique_skills, (std::vector<std::string>{"charts", "sql"}));
}

}  // namespace
}  // namespace ba
