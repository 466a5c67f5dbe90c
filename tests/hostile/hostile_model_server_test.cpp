// SPDX-License-Identifier: Apache-2.0
// A model that wants what it must not have, many thousand times, and gets none of it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>
#include <map>

#include "tests/hostile/hostile_world.hpp"
#include "tests/hostile/letters.hpp"
#include "tests/support/test_seed.hpp"

namespace ba {
namespace {

using ::testing::HasSubstr;

std::uint64_t setting(const char* variable, std::uint64_t otherwise) {
  const char* text = std::getenv(variable);
  return text ? std::strtoull(text, nullptr, 10) : otherwise;
}

/// In between, so that not everything is simply refused.
void expect_that_honest_calls_work(HostileWorld& world) {
  const auto observed = [&](const char* tool, const char* args) {
    return world.call({AttemptKind::Letter, tool, args}).observation;
  };
  EXPECT_THAT(observed("query_database", R"({"sql":"SELECT word FROM words ORDER BY 1"})"),
              HasSubstr("sesame"));
  EXPECT_THAT(observed("file_reader", R"({"path":"data.csv"})"), HasSubstr("open"));
  EXPECT_THAT(observed("task", R"({"description":"d","prompt":"p","subagent_type":"explorer"})"),
              HasSubstr("agentId: "));
  EXPECT_THAT(observed("vector_search", R"({"query":"q"})"), HasSubstr("ours"));
  EXPECT_THAT(observed("web_search", R"({"query":"q"})"), HasSubstr("Ignore all previous"));
  EXPECT_THAT(observed("activate_skill", R"({"skill_name":"reports"})"), HasSubstr("skill-"));
}

/// Makes the attempts, does what it reads, and looks at what it is told.
class ObedientModel {
 public:
  explicit ObedientModel(HostileWorld& world) : world_(world) {}

  void make(const Attempt& attempt, int depth = 0) {
    const ToolResult result = world_.call(attempt);
    const std::string all = result.observation + (result.error ? result.error->message : "");
    for (const std::string& canary : world_.canaries())
      ASSERT_EQ(all.find(canary), std::string::npos)
          << to_string(attempt.kind) << " " << attempt.tool << " " << attempt.args;
    const std::string code = result.error ? result.error->code : "none";
    if (attempt.kind == AttemptKind::Unlisted) {
      ASSERT_EQ(code, "TOOL_NOT_ALLOWED") << attempt.tool << " " << attempt.args;
    }
    ++codes_[code];
    ++kinds_[std::string(to_string(attempt.kind))];
    if (!result.error) ++succeeded_[std::string(to_string(attempt.kind))];
    if (depth < kDepthMax) obey(attempt, result, depth);
  }

  const std::map<std::string, int>& codes() const { return codes_; }
  const std::map<std::string, int>& kinds() const { return kinds_; }
  const std::map<std::string, int>& succeeded() const { return succeeded_; }
  /// By tool: how many calls its observations have told of.
  const std::map<std::string, int>& told() const { return told_; }

 private:
  static constexpr int kDepthMax = 2;
  static constexpr std::size_t kObeyedMax = 3;  ///< of one observation

  void obey(const Attempt& attempt, const ToolResult& result, int depth) {
    std::vector<Attempt> calls = told_by(result.observation);
    if (!calls.empty()) told_[attempt.tool] += static_cast<int>(calls.size());
    if (calls.size() > kObeyedMax) calls.resize(kObeyedMax);
    for (const Attempt& call : calls) {
      make(call, depth + 1);
      if (testing::Test::HasFatalFailure()) return;
    }
  }

  HostileWorld& world_;
  std::map<std::string, int> codes_;
  std::map<std::string, int> kinds_;
  std::map<std::string, int> succeeded_;  ///< by kind
  std::map<std::string, int> told_;
};

void print(const char* what, const std::map<std::string, int>& counts) {
  std::cout << what << ":";
  for (const auto& [name, count] : counts) std::cout << " " << name << " " << count;
  std::cout << "\n";
}

constexpr std::uint64_t kEnough = 2000;  // attempts: each kind has some of every sort

/// There was something to obey at every place, and calls of which the others are disguises worked.
void expect_that_it_was_tempted(const ObedientModel& model) {
  for (const char* tool :
       {"query_database", "file_reader", "web_search", "vector_search", "task", "activate_skill"})
    EXPECT_TRUE(model.told().contains(tool)) << "no letter came by " << tool;
  for (const AttemptKind kind : {AttemptKind::KeptResult, AttemptKind::VectorSearch,
                                 AttemptKind::WebSearch, AttemptKind::Letter, AttemptKind::Obeyed})
    EXPECT_TRUE(model.succeeded().contains(std::string(to_string(kind)))) << to_string(kind);
}

TEST(HostileModel, GetsAndChangesNothingHoweverItAsks) {
  const std::uint64_t attempts = setting("BA_HOSTILE_ATTEMPTS", 12'000);
  const std::uint64_t seed = test_seed();
  SCOPED_TRACE("BA_TEST_SEED=" + std::to_string(seed));
  HostileWorld world;
  const std::string before = world.standing();
  Attempts hostile(seed, world.overheard());
  ObedientModel model(world);
  for (std::uint64_t i = 0; i < attempts; ++i) {
    model.make(hostile.next());
    if (HasFatalFailure()) return;
    if (i % 500 == 0) expect_that_honest_calls_work(world);
  }
  EXPECT_EQ(world.standing(), before);
  if (attempts >= kEnough) expect_that_it_was_tempted(model);
  std::cout << attempts << " attempts, seed " << seed
            << (HasFailure() ? "" : ", 0 forbidden effects") << "\n";
  print("kinds", model.kinds());
  print("succeeded", model.succeeded());
  print("codes", model.codes());
  print("calls told of by tool", model.told());
}

}  // namespace
}  // namespace ba
