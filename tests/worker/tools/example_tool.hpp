#pragma once
// SPDX-License-Identifier: Apache-2.0
// A whole tool, as docs/development.md tells how to add one: days of the week between two
// days. Any thread may make it; calls come on the control thread.

#include <chrono>
#include <nlohmann/json.hpp>

#include "pipeline/core/port/executor.hpp"
#include "worker/tools/base/tool_family.hpp"

namespace ba::tools {

struct DaysConfig {
  int days_max = 0;  ///< 0: there is no `count_days`

  friend bool operator==(const DaysConfig&, const DaysConfig&) = default;
};

class CountDays final : public DescribedTool {
 public:
  CountDays(Executor& executor, int days_max) : executor_(executor), days_max_(days_max) {
    descriptor_.name = "count_days";
    descriptor_.description = "Counts the days of 2026 from one number of a day to another.";
    descriptor_.parameters_schema = R"({"type":"object","additionalProperties":false,
      "required":["from","to"],"properties":{"from":{"type":"integer","minimum":1,"maximum":365},
      "to":{"type":"integer","minimum":1,"maximum":365}}})";
    descriptor_.effect = EffectClass::Pure;  // without this line it is `once`: never run again
    descriptor_.may_be_cached = true;
    descriptor_.cache_policy = CachePolicy::TtlLong;
    descriptor_.timeout = Milliseconds(1000);
  }

  std::unique_ptr<ToolRun> run(ToolInvocation call,
                               std::function<void(RawToolResult)> done) override {
    const auto asked = nlohmann::json::parse(call.parameters);  // the schema has accepted it
    RawToolResult result;
    const int days = asked["to"].get<int>() - asked["from"].get<int>();
    if (days >= 0 && days <= days_max_)
      result.data = nlohmann::json{{"days", days}}.dump();
    else
      result.error = ToolError{ToolErrorType::ValidationError, "BAD_RANGE",
                               "'to' must be from 0 to " + std::to_string(days_max_) +
                                   " days after 'from', not " + std::to_string(days)};
    // Never from inside this call; no answer once the run is destroyed.
    return std::make_unique<Run>(
        executor_.after(Milliseconds(0), [done, result] { done(result); }));
  }

 private:
  struct Run final : ToolRun {
    explicit Run(std::unique_ptr<Timer> answer) : timer(std::move(answer)) {}
    std::unique_ptr<Timer> timer;
  };

  Executor& executor_;
  const int days_max_;
};

/// Its family, for a line in `families.cpp`.
inline ToolFamily day_tools() {
  ToolFamily family;
  family.read = [](settings::SectionReader& tools, ToolsConfig& config) {
    tools.section("count_days", [&](settings::SectionReader& in) {
      in.read("days_max", config.of<DaysConfig>().days_max, {0, 365});
    });
  };
  family.makers = [](const ToolsConfig& config, const ToolBasis&) -> std::vector<ToolMaker> {
    const int days_max = config.of<DaysConfig>().days_max;
    return {{"count_days", "tools.count_days.days_max", days_max > 0,
             [days_max](const ToolMaking& making) -> Result<MadeTool> {
               return std::make_unique<CountDays>(making.ports.executor, days_max);
             }}};
  };
  return family;
}

}  // namespace ba::tools
