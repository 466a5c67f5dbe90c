// SPDX-License-Identifier: Apache-2.0
#include "worker/runtime/reporting_observer.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/virtual_executor.hpp"

namespace ba {
namespace {

using ::testing::IsSupersetOf;

/// The fields of the last line, as "name=value".
class LastLine final : public Log {
 public:
  bool enabled(LogLevel) const override { return true; }
  void write(LogLevel, std::string_view, Fields line) override {
    fields.clear();
    for (const LogField& field : line)
      fields.push_back(std::string(field.name) + "=" + text(field));
  }
  std::vector<std::string> fields;

 private:
  static std::string text(const LogField& field) {
    if (const auto* words = std::get_if<std::string_view>(&field.value)) return std::string(*words);
    if (const auto* number = std::get_if<std::int64_t>(&field.value))
      return std::to_string(*number);
    return "?";
  }
};

class ReportingObserverTest : public ::testing::Test {
 protected:
  ReportingObserverTest() {
    state_.job.tenant = TenantId("acme");
    state_.job.job_id = JobId("j");
    state_.round = 2;
    state_.step = 3;
  }

  VirtualExecutor time_;
  Metrics metrics_{"v", "c"};
  LastLine log_;
  ReportingObserver observer_{metrics_, log_, time_};
  ConversationState state_;
};

TEST_F(ReportingObserverTest, NamesTheJobWhoseModelAndToolItSpeaksOf) {
  observer_.model_asked(state_);
  EXPECT_THAT(log_.fields, IsSupersetOf({"tenant=acme", "job=j", "round=2", "step=4"}));
  observer_.tool_finished(state_, CallState{}, ToolResult{});
  EXPECT_THAT(log_.fields, IsSupersetOf({"tenant=acme", "job=j", "round=2", "step=3"}));
}

TEST_F(ReportingObserverTest, NamesTheJobThatTheLedgerRefused) {
  observer_.ledger_failed(Error{}, {"append a step", LedgerJobId(7), "acme", "j", 2, 3});
  EXPECT_THAT(log_.fields, IsSupersetOf({"while=append a step", "tenant=acme", "job=j",
                                         "ledger_id=7", "round=2", "step=3"}));
}

}  // namespace
}  // namespace ba
