// SPDX-License-Identifier: Apache-2.0
// `ba-agent convert` from outside, and what `export` and `import` say before a database is asked.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/worker/cli/program_fixture.hpp"

namespace ba::cli {
namespace {

using Json = nlohmann::json;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class ConvertCommand : public ProgramTest {
 protected:
  static Json call(bool answered) {
    Json messages = Json::parse(
        R"([{"role":"user","content":"q"},{"role":"assistant","content":null,"tool_calls":[{"id":"c1",
            "type":"function","function":{"name":"n","arguments":"{\"a\": 1.0}"}}]}])");
    if (answered) messages.push_back({{"role", "tool"}, {"tool_call_id", "c1"}, {"content", "r"}});
    return messages;
  }

  static std::vector<Json> lines_of(const std::string& text) {
    std::vector<Json> lines;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);) lines.push_back(Json::parse(line));
    return lines;
  }
};

TEST_F(ConvertCommand, WritesADocumentInTheOtherForm) {
  write("chat.json", call(true).dump());
  const ProgramRun run_it = run("convert --from openai --to anthropic chat.json");
  ASSERT_EQ(run_it.exit_code, 0) << run_it.err;
  EXPECT_EQ(run_it.err, "");
  EXPECT_EQ(run_it.out, R"({"messages":[{"role":"user","content":[{"type":"text","text":"q"}]},)"
                        R"({"role":"assistant","content":[{"type":"tool_use","id":"c1","name":"n",)"
                        R"("input":{"a": 1.0}}]},{"role":"user","content":[{"type":"tool_result",)"
                        R"("tool_use_id":"c1","content":"r"}]}]})"
                        "\n");
  const ProgramRun back = run("convert --from anthropic --to openai", "", run_it.out);
  EXPECT_EQ(Json::parse(back.out), call(true));
}

TEST_F(ConvertCommand, TellsWhatTheOtherFormHasNoPlaceFor) {
  const std::string reply =
      R"([{"role":"assistant","content":[{"type":"thinking","thinking":"t","signature":"s"}]}])";
  const ProgramRun told = run("convert --from anthropic --to responses", "", reply);
  EXPECT_EQ(told.exit_code, 0);
  EXPECT_THAT(told.err, HasSubstr("note: the form responses has no place for what only its "
                                  "provider understands"));
  const ProgramRun strict = run("convert --strict --from anthropic --to responses", "", reply);
  EXPECT_EQ(strict.exit_code, 1);
  EXPECT_EQ(strict.out, "");
  EXPECT_THAT(strict.err, HasSubstr("standard input: messages[0]: what only its provider"));
  EXPECT_EQ(run("convert --strict --from anthropic --to langchain", "", reply).exit_code, 0);
}

TEST_F(ConvertCommand, AnswersLineByLineInOrder) {
  std::string input;
  for (int i = 0; i < 6; ++i)
    input += Json{{"id", i}, {"messages", call(i % 2 == 0)}}.dump() + "\n";
  input += "oops\n[]\n{\"id\":[1,\"x\"],\"messages\":[]}";
  const ProgramRun run_it = run("convert --from openai --to langchain --jsonl", "", input);
  EXPECT_EQ(run_it.exit_code, 1);
  const auto lines = lines_of(run_it.out);
  ASSERT_EQ(lines.size(), 9U);
  for (int i = 0; i < 6; ++i) {
    EXPECT_EQ(lines[i]["id"], i);
    EXPECT_EQ(lines[i].contains("messages"), i % 2 == 0);
  }
  EXPECT_EQ(lines[1]["error"]["field"], "messages[1].tool_calls[0]");
  EXPECT_EQ(lines[1]["error"]["message"], "messages[1].tool_calls[0] (id \"c1\") is not answered");
  EXPECT_EQ(lines[6]["id"], nullptr);
  EXPECT_THAT(lines[6]["error"]["message"].get<std::string>(), StartsWith("not JSON: "));
  EXPECT_THAT(lines[7]["error"]["message"].get<std::string>(), HasSubstr("must be an object"));
  EXPECT_EQ(lines[8].dump(), R"({"id":[1,"x"],"messages":[]})");
}

TEST_F(ConvertCommand, KeepsTheSystemPromptBesideAnthropicsMessages) {
  const std::string line = R"({"id":"a","system":"s","messages":[{"role":"user","content":"q"}]})";
  const ProgramRun out = run("convert --from anthropic --to openai --jsonl", "", line);
  EXPECT_EQ(lines_of(out.out).at(0)["messages"][0]["role"], "system");
  const ProgramRun back = run("convert --from openai --to anthropic --jsonl", "", out.out);
  EXPECT_EQ(lines_of(back.out).at(0)["system"], "s");
}

TEST_F(ConvertCommand, SaysWhatIsWrongWithAFile) {
  const std::string line = "convert --from openai --to langchain ";
  const ProgramRun missing = run(line + "nowhere.json");
  EXPECT_EQ(missing.exit_code, 1);
  EXPECT_THAT(missing.err, HasSubstr("can't read nowhere.json: No such file"));
  EXPECT_THAT(run(line + "--jsonl nowhere.json").err, HasSubstr("can't read nowhere.json"));
  write("empty.json", " \n");
  EXPECT_THAT(run(line + "empty.json").err, HasSubstr("empty.json: it is empty"));
  write("none.jsonl", "");
  const ProgramRun none = run(line + "--jsonl none.jsonl");
  EXPECT_EQ(none.exit_code, 1);
  EXPECT_THAT(none.err, HasSubstr("none.jsonl: it is empty"));
  write("text.json", "hello");
  EXPECT_THAT(run(line + "text.json").err, HasSubstr("text.json: not JSON: "));
  EXPECT_THAT(run(line + ".").err, HasSubstr("can't read .: Is a directory"));
  write("large.json", "");
  std::filesystem::resize_file(folder_ / "large.json", (std::uintmax_t{256} << 20) + 1);
  EXPECT_THAT(run(line + "large.json").err, HasSubstr("more than 268435456 bytes"));
}

TEST_F(ConvertCommand, KnowsItsForms) {
  for (const char* line : {"convert", "convert --from openai", "convert --to openai",
                           "convert --from x --to openai", "convert --from debug --to openai",
                           "export", "export a --format x", "export ''", "import --format debug"})
    EXPECT_EQ(run(line).exit_code, 2) << line;
  EXPECT_EQ(run("convert --from openai --to debug", "", "[]").out, "[]\n");
}

TEST_F(ConvertCommand, ImportLooksAtTheFileBeforeTheDatabase) {
  EXPECT_THAT(run("import nowhere.json").err, HasSubstr("can't read nowhere.json"));
  EXPECT_THAT(run("import", "", "[]").err, HasSubstr("it has no message"));
  const ProgramRun open = run("import --format openai", "", call(false).dump());
  EXPECT_EQ(open.exit_code, 1);
  EXPECT_THAT(open.err, HasSubstr("messages[1].tool_calls[0] (id \"c1\") is not answered"));
  const ProgramRun good = run("import --format openai", "", call(true).dump());
  EXPECT_EQ(good.exit_code, 78) << good.err;
  EXPECT_THAT(good.err, HasSubstr("postgres.url is not set"));
  EXPECT_EQ(run("import --tenant a/b --format openai", "", call(true).dump()).exit_code, 2);
}

}  // namespace
}  // namespace ba::cli
