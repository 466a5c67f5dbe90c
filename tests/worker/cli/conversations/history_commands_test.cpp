// SPDX-License-Identifier: Apache-2.0
// `ba-agent history` from outside.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "tests/worker/cli/program_fixture.hpp"

namespace ba::cli {
namespace {

using Json = nlohmann::json;
using ::testing::HasSubstr;

class HistoryCommands : public ProgramTest {
 protected:
  /// Rounds of a question and an answer of a hundred words each, as LangChain writes them.
  static Json conversation(int rounds) {
    std::string words;
    for (int i = 0; i < 100; ++i) words += "word ";
    Json messages = Json::array({{{"type", "system"}, {"data", {{"content", "rules"}}}}});
    for (int i = 0; i < rounds; ++i) {
      const std::string number = std::to_string(i);
      messages.push_back({{"type", "human"}, {"data", {{"content", "ask " + number}}}});
      messages.push_back({{"type", "ai"}, {"data", {{"content", words + number}}}});
    }
    return messages;
  }
};

TEST_F(HistoryCommands, ShowWhatWouldBeSent) {
  write("long.json", conversation(12).dump());
  const ProgramRun run_it = run("history compress --window 1200 long.json");
  ASSERT_EQ(run_it.exit_code, 0) << run_it.err;
  EXPECT_THAT(run_it.err, HasSubstr("extract: 25 messages, 1,2"));
  EXPECT_THAT(run_it.err, HasSubstr(" tokens → "));
  const Json left = Json::parse(run_it.out);
  EXPECT_LT(left.size(), 25U);
  EXPECT_EQ(left[0]["data"]["content"], "rules");
  EXPECT_THAT(left[1]["data"]["content"].get<std::string>(),
              HasSubstr("Round 1:\n  Request: ask 0"));
  EXPECT_EQ(left[1]["data"]["additional_kwargs"]["compressed"], true);
  EXPECT_EQ(left[1]["data"]["additional_kwargs"]["original_round_id"], "1");
}

TEST_F(HistoryCommands, LeaveAloneWhatHasRoom) {
  write("short.json", conversation(2).dump());
  const ProgramRun run_it = run("history compress short.json");
  EXPECT_EQ(run_it.exit_code, 0);
  EXPECT_THAT(run_it.err, HasSubstr("nothing is compressed: 5 messages have "));
  EXPECT_EQ(Json::parse(run_it.out).size(), 5U);
}

TEST_F(HistoryCommands, SayWhereNoneMayGo) {
  write("last.json", conversation(1).dump());
  const ProgramRun run_it = run("history compress --window 100 last.json");
  EXPECT_EQ(run_it.exit_code, 0);
  EXPECT_THAT(run_it.err, HasSubstr("nothing is compressed: 3 messages have "));
  EXPECT_THAT(run_it.err, HasSubstr(" tokens, which is not below 80 % of 100; but none of them may "
                                    "go: they are the last rounds, or system messages"));
  EXPECT_EQ(Json::parse(run_it.out).size(), 3U);
}

TEST_F(HistoryCommands, TakeModeAndSharesAsTold) {
  write("long.json", conversation(12).dump());
  const ProgramRun run_it =
      run("history compress --mode truncate --threshold 10 --target 5 --window 12000 long.json");
  EXPECT_THAT(run_it.err, HasSubstr("truncate: 25 messages"));
  EXPECT_EQ(Json::parse(run_it.out).size(), 7U);  // rules, ask 9, and the last five
  write("ba-agent.yaml", "context: {mode: truncate, keep_recent_messages: 1}\n");
  EXPECT_EQ(Json::parse(run("history compress --window 1200 long.json").out).size(), 3U);
}

TEST_F(HistoryCommands, SayWhatIsWrongWithAConversation) {
  write("orphan.json", R"([{"type":"tool","data":{"content":"x","tool_call_id":"c1"}}])");
  const ProgramRun orphan = run("history compress orphan.json");
  EXPECT_EQ(orphan.exit_code, 1);
  EXPECT_THAT(orphan.err, HasSubstr("orphan.json: messages[0]"));
  write("large.json", "");
  std::filesystem::resize_file(folder_ / "large.json", (std::uintmax_t{256} << 20) + 1);
  EXPECT_THAT(run("history compress large.json").err, HasSubstr("more than 268435456 bytes"));
  write("none.json", "{");
  EXPECT_EQ(run("history compress none.json").exit_code, 1);
  EXPECT_EQ(run("history compress missing.json").exit_code, 1);
  for (const char* line : {"history", "history compress --window 0", "history compress --mode x"})
    EXPECT_EQ(run(line).exit_code, 2) << line;
}

}  // namespace
}  // namespace ba::cli
