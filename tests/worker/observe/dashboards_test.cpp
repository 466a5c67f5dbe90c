// SPDX-License-Identifier: Apache-2.0
// What ops/dashboards asks Prometheus for is what the program shows: each metric, and each label of
// it that is named.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <sstream>

#include "pipeline/core/artifact/artifact_keeper.hpp"
#include "pipeline/core/cache/shared_cache.hpp"
#include "worker/observe/metrics.hpp"

namespace ba::observe {
namespace {

using nlohmann::json;
using testing::Contains;
using testing::IsEmpty;
using testing::Not;
using Seconds = Metrics::Seconds;

using LabelsByName = std::map<std::string, std::set<std::string>>;

/// Everything counted once.
std::string whole_exposition() {
  Metrics metrics("1", "c");
  metrics.jobs_consumed(Lane::High, 1);
  metrics.dead_letters("BAD_JSON", 1);
  metrics.paused(Lane::High, true);
  metrics.consumer_lag(Lane::High, 1);
  metrics.job_started(Lane::High, Seconds(1));
  metrics.job_finished(Lane::High, Outcome::Completed, Seconds(1), {});
  metrics.sub_agent_finished(Outcome::Completed);
  metrics.saved({{1, 1}, {1, 1}, {1, 1}, {1, 1}});
  Metrics::ModelCallSeen call;
  call.provider = "p";
  call.model = "m";
  call.outcome = "ok";
  call.usage = {1, 1, 1, 1, 1};
  call.cost_micro_usd = 1;
  call.retries = 1;
  metrics.model_call(call);
  metrics.model_input_estimated("p", "m", 1);
  metrics.model_calls_lost("m", 1);
  metrics.tool_call("t", "succeeded", Seconds(1));
  metrics.tool_retried("t", 1);
  metrics.tools_left_out("schema", 1);
  metrics.skill_activated("s");
  metrics.tool_cache_hit("t");
  metrics.history_compressed("extract", true, 1);
  metrics.context_counted("m", "counted");
  metrics.ledger_error("timeout");
  metrics.removed("jobs", 1);
  return metrics.exposition();
}

/// As Prometheus has them: names of samples, each with its labels and those that a scrape adds.
LabelsByName shown() {
  const std::regex sample(R"(^([a-z_]+)(\{.*\})? )");
  const std::regex label(R"re(([a-z_]+)=")re");
  LabelsByName all;
  std::istringstream lines(whole_exposition());
  for (std::string line; std::getline(lines, line);) {
    std::smatch match;
    if (line.starts_with('#') || !std::regex_search(line, match, sample)) continue;
    std::set<std::string>& labels = all[match[1]];
    labels.insert({"job", "instance"});
    const std::string set = match[2];
    for (std::sregex_iterator it(set.begin(), set.end(), label), end; it != end; ++it)
      labels.insert((*it)[1]);
  }
  return all;
}

std::string file(const std::string& name) {
  std::ifstream in("ops/dashboards/" + name);
  std::stringstream text;
  text << in.rdbuf();
  EXPECT_FALSE(text.str().empty()) << name;
  return text.str();
}

void collect(const json& node, const std::string& key, std::vector<std::string>& found) {
  if (node.is_object() && node.contains(key) && node.at(key).is_string())
    found.push_back(node.at(key));
  if (node.is_structured())
    for (const json& inner : node) collect(inner, key, found);
}

/// Of the alerts: each expression with what follows it, up to the next key.
std::vector<std::string> rules(const std::string& yaml) {
  std::vector<std::string> found;
  const std::regex rule(R"(expr: (>-\n)?([\s\S]*?)\n +(for|labels):)");
  for (std::sregex_iterator it(yaml.begin(), yaml.end(), rule), end; it != end; ++it)
    found.push_back((*it)[2]);
  return found;
}

/// What is wrong with an expression; empty: nothing.
std::vector<std::string> complaints(const std::string& expression, const LabelsByName& known) {
  std::vector<std::string> wrong;
  std::set<std::string> labels{"le"};
  const std::regex metric(R"(\b((?:ba|process)_[a-z_]+)(\{([^}]*)\})?)");
  const std::regex matcher(R"(([a-z_]+)\s*(?:=~|!~|!=|=))");
  for (std::sregex_iterator it(expression.begin(), expression.end(), metric), end; it != end;
       ++it) {
    const std::string name = (*it)[1];
    const auto found = known.find(name);
    if (found == known.end()) {
      wrong.push_back("no metric " + name);
      continue;
    }
    labels.insert(found->second.begin(), found->second.end());
    const std::string set = (*it)[3];
    for (std::sregex_iterator one(set.begin(), set.end(), matcher); one != end; ++one)
      if (found->second.count((*one)[1]) == 0)
        wrong.push_back(name + " has no label " + std::string((*one)[1]));
  }
  const std::regex grouping(R"(\bby \(([a-z_, ]*)\))");
  const std::regex word("[a-z_]+");
  for (std::sregex_iterator it(expression.begin(), expression.end(), grouping), end; it != end;
       ++it) {
    const std::string names = (*it)[1];
    for (std::sregex_iterator one(names.begin(), names.end(), word); one != end; ++one)
      if (labels.count(one->str()) == 0) wrong.push_back("nothing has a label " + one->str());
  }
  return wrong;
}

TEST(Dashboards, AskForMetricsAndLabelsThatThereAre) {
  std::vector<std::string> expressions;
  collect(json::parse(file("ba-agent.json")), "expr", expressions);
  ASSERT_GT(expressions.size(), 50U);
  const LabelsByName known = shown();
  for (const std::string& expression : expressions)
    EXPECT_THAT(complaints(expression, known), IsEmpty()) << expression;
}

TEST(Dashboards, ShowEveryMetric) {
  const std::string text = file("ba-agent.json") + file("alerts.yaml");
  const std::set<std::string> of_no_panel{
      "process_virtual_memory_bytes", "process_start_time_seconds", "ba_jobs_consumed_total",
      "ba_progress_events_sent_total", "ba_retention_removed_total"};
  for (const auto& [name, labels] : shown()) {
    const std::string family = std::regex_replace(name, std::regex("_(bucket|sum|count)$"), "");
    if (of_no_panel.count(family) == 0) {
      EXPECT_THAT(text, testing::HasSubstr(family));
    }
  }
}

TEST(Alerts, AskForMetricsAndLabelsThatThereAre) {
  const std::vector<std::string> expressions = rules(file("alerts.yaml"));
  ASSERT_EQ(expressions.size(), 16U);
  const LabelsByName known = shown();
  for (const std::string& expression : expressions)
    EXPECT_THAT(complaints(expression, known), IsEmpty()) << expression;
}

TEST(Alerts, EachSaysWhatAndHowBad) {
  const std::string text = file("alerts.yaml");
  const auto count = [&](const std::string& pattern) {
    const std::regex what(pattern);
    return std::distance(std::sregex_iterator(text.begin(), text.end(), what),
                         std::sregex_iterator());
  };
  EXPECT_EQ(count("- alert: BaAgent"), 16);
  EXPECT_EQ(count(R"(severity: (critical|warning|info))"), 16);
  EXPECT_EQ(count("summary: "), 16);
  EXPECT_EQ(count("description: "), 16);
}

/// This check must be able to fail.
TEST(Dashboards, AWrongNameIsFound) {
  const LabelsByName known = shown();
  EXPECT_THAT(complaints("rate(ba_jobs_done_total[5m])", known),
              Contains("no metric ba_jobs_done_total"));
  EXPECT_THAT(complaints("ba_tool_calls_total{model=\"x\"}", known),
              Contains("ba_tool_calls_total has no label model"));
  EXPECT_THAT(complaints("sum by (model) (ba_tool_calls_total)", known),
              Contains("nothing has a label model"));
  EXPECT_THAT(complaints("sum by (tool) (ba_tool_calls_total{tool=~\"a\"})", known), IsEmpty());
}

}  // namespace
}  // namespace ba::observe
