// SPDX-License-Identifier: Apache-2.0
#include "pipeline/core/metrics/conversation_report.hpp"

#include <algorithm>
#include <cstdio>
#include <map>
#include <set>

#include "pipeline/base/joined.hpp"

namespace ba {
namespace {

struct Sums {
  int calls = 0;
  int successes = 0;
  int cache_hits = 0;
  std::int64_t duration_ms = 0;
  std::int64_t tokens = 0;
  std::vector<std::int64_t> durations_ms;
};

constexpr std::size_t kPercent = 95;

/// Sorts them; there is one at least.
std::int64_t nearest_rank(std::vector<std::int64_t>& values) {
  const std::size_t rank = (values.size() * kPercent + 99) / 100;
  const auto at = values.begin() + static_cast<std::ptrdiff_t>(rank - 1);
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

ToolStatistics statistics_of(const std::string& name, Sums& sums) {
  ToolStatistics tool;
  tool.tool_name = name;
  tool.call_count = sums.calls;
  const double calls = sums.calls;
  tool.avg_duration_ms = static_cast<double>(sums.duration_ms) / calls;
  tool.avg_tokens = static_cast<double>(sums.tokens) / calls;
  tool.success_rate = sums.successes / calls;
  tool.error_rate = (sums.calls - sums.successes) / calls;
  tool.cache_hits = sums.cache_hits;
  tool.cache_hit_rate = sums.cache_hits / calls;
  tool.p95_duration_ms = nearest_rank(sums.durations_ms);
  return tool;
}

std::vector<ToolStatistics> per_tool(const std::vector<ToolCallMetrics>& calls) {
  std::map<std::string, Sums> sums;
  for (const ToolCallMetrics& call : calls) {
    Sums& tool = sums[call.tool_name];
    ++tool.calls;
    tool.successes += call.success ? 1 : 0;
    tool.cache_hits += call.cache_hit ? 1 : 0;
    tool.duration_ms += call.duration.count();
    tool.tokens += call.tokens;
    tool.durations_ms.push_back(call.duration.count());
  }
  std::vector<ToolStatistics> tools;
  for (auto& [name, tool] : sums) tools.push_back(statistics_of(name, tool));
  std::stable_sort(tools.begin(), tools.end(),
                   [](const auto& a, const auto& b) { return a.call_count > b.call_count; });
  return tools;
}

std::string decimals(double value, int places) {
  char text[64];
  std::snprintf(text, sizeof text, "%.*f", places, value);
  return text;
}

std::string with_separators(std::int64_t value) {
  std::string text = std::to_string(value);
  const std::size_t first_digit = value < 0 ? 1 : 0;
  for (std::size_t at = text.size(); at > first_digit + 3;) {
    at -= 3;
    text.insert(at, 1, ',');
  }
  return text;
}

std::string tool_lines(const ToolStatistics& tool) {
  return "  " + tool.tool_name + ":\n" +                                        //
         "    - Calls: " + std::to_string(tool.call_count) + "\n" +             //
         "    - Avg Duration: " + decimals(tool.avg_duration_ms, 1) + "ms\n" +  //
         "    - Avg Tokens: " + decimals(tool.avg_tokens, 0) + "\n" +           //
         "    - Success Rate: " + decimals(tool.success_rate * 100, 1) + "%\n";
}

std::string cost_lines(const JobTotals& totals) {
  const double dollars = static_cast<double>(totals.cost_micro_usd) / 1e6;
  return "Cost:\n  - Total: " + std::string(totals.cost_known ? "" : ">= ") + "$" +
         decimals(dollars, 6) + "\n";
}

/// Of the tools that had any.
std::string cache_lines(const std::vector<ToolStatistics>& tools) {
  int hits = 0;
  std::string of_tools;
  for (const ToolStatistics& tool : tools) {
    hits += tool.cache_hits;
    if (tool.cache_hits > 0)
      of_tools += "  - " + tool.tool_name + ": " + std::to_string(tool.cache_hits) + " (" +
                  decimals(tool.cache_hit_rate * 100, 1) + "%)\n";
  }
  return "Cache:\n  - Hits: " + std::to_string(hits) + "\n" + of_tools;
}

std::string p95_lines(const std::vector<ToolStatistics>& tools) {
  if (tools.empty()) return {};
  std::string lines = "P95 Duration:\n";
  for (const ToolStatistics& tool : tools)
    lines += "  - " + tool.tool_name + ": " + std::to_string(tool.p95_duration_ms) + "ms\n";
  return lines;
}

std::string prompt_cache_lines(const ConversationReport& report) {
  return "Prompt Cache:\n  - Cached Input: " +
         with_separators(report.totals.usage.cache_read_tokens) + " (" +
         decimals(report.cached_input_share() * 100, 1) + "%)\n";
}

/// "-$0.000120".
std::string signed_dollars(std::int64_t micro_usd) {
  const double dollars = static_cast<double>(micro_usd < 0 ? -micro_usd : micro_usd) / 1e6;
  return std::string(micro_usd < 0 ? "-" : "") + "$" + decimals(dollars, 6);
}

std::string savings_lines(const JobTotals& totals) {
  const auto line = [](const char* name, const Saving& saving) {
    return std::string("  - ") + name + ": " + with_separators(saving.tokens) + " tokens, " +
           signed_dollars(saving.micro_usd);
  };
  const Savings& savings = totals.savings;
  return "Savings:\n" + line("Total", savings.total()) +
         (totals.cost_known ? "\n" : " (some calls have no price)\n") +
         line("Cache", savings.cache) + "\n" + line("Encoding", savings.encoding) + "\n" +
         line("Shared Results", savings.shared_results) + "\n" +
         line("Compression", savings.compression) + "\n";
}

}  // namespace

double ConversationReport::cached_input_share() const {
  const std::int64_t input = totals.usage.total_input();
  return input == 0 ? 0 : static_cast<double>(totals.usage.cache_read_tokens) / input;
}

ConversationReport conversation_report(const JobMetrics& metrics) {
  ConversationReport report;
  report.conversation_id = metrics.conversation_id;
  report.start_time = metrics.start_time;
  report.end_time = metrics.end_time;
  const auto duration = metrics.end_time - metrics.start_time;
  report.total_duration_ms = std::chrono::duration_cast<Milliseconds>(duration).count();
  report.totals = metrics.totals;
  for (const ToolCallMetrics& call : metrics.tool_calls) {
    ++(call.success ? report.successful_calls : report.failed_calls);
    report.retried_calls += call.retried ? 1 : 0;
  }
  report.tools = per_tool(metrics.tool_calls);
  report.skill_activations = metrics.skill_activations;
  const std::set<std::string> skills(metrics.skills.begin(), metrics.skills.end());
  report.unique_skills.assign(skills.begin(), skills.end());
  report.messages_count = metrics.messages_count;
  report.compression_events = metrics.compression_events;
  return report;
}

std::string to_text(const ConversationReport& report) {
  const auto line = [](const char* name, const std::string& value) {
    return std::string("  - ") + name + ": " + value + "\n";
  };
  const auto number = [](auto value) { return std::to_string(value); };
  const Usage& usage = report.totals.usage;
  std::string text = "Conversation Metrics Report\n============================\n";
  text += "Conversation ID: " + report.conversation_id.value + "\n";
  text += "Duration: " + decimals(static_cast<double>(report.total_duration_ms) / 1000, 1) + "s\n";
  text += "\nToken Usage:\n";
  text += line("Input", with_separators(usage.total_input()));
  text += line("Output", with_separators(usage.output_tokens));
  text += line("Total", with_separators(usage.total()));
  text += "Tool Calls:\n" + line("Total", number(report.total_calls()));
  text += line("Successful", number(report.successful_calls));
  text += line("Failed", number(report.failed_calls));
  text += line("Retried", number(report.retried_calls));
  text += "Per-Tool Statistics:\n";
  for (const ToolStatistics& tool : report.tools) text += tool_lines(tool);
  text += "Skills Activated:\n" + line("Total", number(report.skill_activations));
  text += line("Unique", number(report.unique_skills.size()));
  text += line("Skills", report.unique_skills.empty() ? "None" : joined(report.unique_skills));
  text += "Context Management:\n" + line("Messages", number(report.messages_count));
  text += line("Compressions", number(report.compression_events));
  return text + cost_lines(report.totals) + cache_lines(report.tools) + p95_lines(report.tools) +
         prompt_cache_lines(report) + savings_lines(report.totals);
}

}  // namespace ba
