// SPDX-License-Identifier: Apache-2.0
// What is answered to what: steps, context, faults, the load conversation, the counts.
#include "tests/scripted_model/player.hpp"

#include <fstream>

#include "tests/scripted_model/tests/service_fixture.hpp"
#include "tests/support/temporary_directory.hpp"

namespace ba::scripted {
namespace {

class PlayerTest : public ServiceFixture {
 protected:
  Json human(const std::string& text) { return {{"role", "user"}, {"content", text}}; }
  Json said(const std::string& text) { return {{"role", "assistant"}, {"content", text}}; }
  Reaction ask(Json messages) {
    return openai({{"model", "m"}, {"messages", std::move(messages)}});
  }
  std::string reply(Json messages) {
    return ask(std::move(messages)).json["choices"][0]["message"]["content"];
  }
};

TEST_F(PlayerTest, AFollowUpNeedsTheEarlierMessages) {
  load(R"(
entries:
  - when: Twice that?
    then: [{let: {n: "{{earlier.-1.answer | regex '(\\d+)'}}"}, text: "{{n | times 2}}"}]
)");
  EXPECT_EQ(reply({human("How many?"), said("21 rows"), human("Twice that?")}), "42");
  EXPECT_EQ(reply({human("Twice that?")}),
            "I don't know: what I would need is not in this conversation.");
  EXPECT_EQ(reply({human("How many?"), said("no idea"), human("Twice that?")}),
            "I don't know: what I would need is not in this conversation.");
}

TEST_F(PlayerTest, ARequiredValueDecidesWhetherAStepIsPlayed) {
  load(R"(
entries:
  - when: a
    then: [{require: ["{{earlier.-1.answer | regex 'x'}}"], text: "Yes.", otherwise: 'No.'}]
)");
  EXPECT_EQ(reply({human("a")}), "No.");
  EXPECT_EQ(reply({human("b"), said("x"), human("a")}), "Yes.");
}

TEST_F(PlayerTest, TheLineWithTheDateIsNoPartOfAQuestionButCanBeTold) {
  load(R"(
entries:
  - when: {exact: "Which day?"}
    then: [{text: "{{today | default 'none'}} {{earlier.-1.today | default 'none'}} {{question}}"}]
)");
  const std::string friday = "Today is Friday, 2026-11-27 (UTC).";
  EXPECT_EQ(reply({human(friday + "\n\nWhich day?")}), friday + " none Which day?");
  EXPECT_EQ(reply({human("Which day?")}), "none none Which day?");
  EXPECT_EQ(reply({human(friday + "\n\nHello."), said("x"), human("Which day?")}),
            "none " + friday + " Which day?");
  EXPECT_EQ(reply({human("Today is fine.\n\nWhich day?")}),
            "I don't know: no script answers this question.");
}

TEST_F(PlayerTest, ADateBeforeAParagraphOfTheSameMessageIsLeftOutToo) {
  load("entries: [{when: {exact: \"First.\\n\\nSecond.\"}, then: [{text: both}]}]");
  const std::string friday = "Today is Friday, 2026-11-27 (UTC).\n\n";
  EXPECT_EQ(reply({human(friday + "First.\n\n" + friday + "Second.")}), "both");
}

TEST_F(PlayerTest, KnowsNothingThatNoScriptSays) {
  load("entries: [{when: a, then: [{text: b}]}]");
  EXPECT_EQ(reply({human("c")}), "I don't know: no script answers this question.");
}

TEST_F(PlayerTest, RepeatsTheLastStepWhereTheScriptSaysSo) {
  load(R"(
entries:
  - {when: a, repeat_last: true, then: [{tool_calls: [{name: t, args: {}}]}]}
  - {when: b, then: [{tool_calls: [{name: t, args: {}}]}]}
)");
  const auto after_a_call = [&](const char* question) {
    const Json call = {
        {"id", "i"}, {"type", "function"}, {"function", {{"name", "t"}, {"arguments", "{}"}}}};
    const Json assistant = {{"role", "assistant"}, {"content", nullptr}, {"tool_calls", {call}}};
    return ask({human(question),
                assistant,
                {{"role", "tool"}, {"tool_call_id", "i"}, {"content", "o"}}})
        .json["choices"][0]["message"];
  };
  EXPECT_TRUE(after_a_call("a").contains("tool_calls"));
  EXPECT_EQ(after_a_call("b")["content"], "I don't know: the script of this question is over.");
}

TEST_F(PlayerTest, FaultsPassAfterTheirTimes) {
  load(R"(
entries:
  - when: a
    then:
      - text: fine
        faults:
          - {times: 1, status: 429, headers: {retry-after: "0.5"}, error_code: slow}
          - {times: 1, status: 503, body: <html>}
)");
  const Reaction limited = ask({human("a")});
  EXPECT_EQ(limited.status, 429);
  EXPECT_NE(limited.head.find("retry-after: 0.5\r\n"), std::string::npos);
  EXPECT_EQ(limited.json["error"]["code"], "slow");
  EXPECT_EQ(ask({human("a")}).body, "<html>");
  EXPECT_EQ(reply({human("a")}), "fine");
  const Json counted = counts();
  EXPECT_EQ(counted["accepted"], 1);
  EXPECT_EQ(counted["failed_on_purpose"], 2);
  service_->answer("POST", "/__reset", {}, "");
  EXPECT_EQ(counts()["accepted"], 0);
  EXPECT_EQ(ask({human("a")}).status, 429);
}

TEST_F(PlayerTest, TheLoadConversationNamesItsObservation) {
  load("entries: []");
  const auto message = [&](Json messages) {
    return ask(std::move(messages)).json["choices"][0]["message"];
  };
  const Json called = message({human("bench 7")});
  ASSERT_TRUE(called.contains("tool_calls"));
  EXPECT_EQ(called["tool_calls"][0]["function"]["name"], "query_database");
  const auto answer_to = [&](const char* observation) {
    Json assistant = {{"role", "assistant"}, {"content", nullptr}};
    assistant["tool_calls"] = called["tool_calls"];
    return message({human("bench 7"),
                    assistant,
                    {{"role", "tool"},
                     {"tool_call_id", called["tool_calls"][0]["id"]},
                     {"content", observation}}})["content"];
  };
  EXPECT_EQ(answer_to("x"), answer_to("x"));
  EXPECT_NE(answer_to("x"), answer_to("y"));
}

TEST_F(PlayerTest, TheJournalHasALineForEachPaidCall) {
  const TemporaryDirectory directory;
  const std::string path = directory.path() / "journal";
  load("entries: []");
  ASSERT_TRUE(service_->counts().open_journal(path).has_value());
  ask({human("one")});
  ask({human("two \"quoted\"")});
  ask({said("bad")});
  std::ifstream file(path);
  std::vector<Json> lines;
  for (std::string line; std::getline(file, line);) lines.push_back(Json::parse(line));
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_EQ(lines[1]["question"], "two \"quoted\"");
  EXPECT_EQ(lines[1]["n"], 2);
  EXPECT_NE(lines[0]["body_hash"], lines[1]["body_hash"]);
  const Json counted = counts();
  EXPECT_EQ(counted["rejected"], 1);
  EXPECT_EQ(counted["last_rejections"][0]["status"], 400);
}

TEST_F(PlayerTest, UsageCanBeFixed) {
  load("entries: [{when: a, then: [{text: b, usage: {input_tokens: 1000, output_tokens: 7}}]}]");
  const Json usage = ask({human("a")}).json["usage"];
  EXPECT_EQ(usage["prompt_tokens"], 1000);
  EXPECT_EQ(usage["completion_tokens"], 7);
}

TEST_F(PlayerTest, ALongRepeatedPromptIsReadFromTheCache) {
  load("entries: []");
  const std::string text(8000, 'x');
  const auto cached = [&](Json messages) {
    return ask(std::move(messages)).json["usage"]["prompt_tokens_details"]["cached_tokens"];
  };
  EXPECT_EQ(cached({human(text)}), 0);
  EXPECT_EQ(cached({human(text), said("y"), human("z")}), 1920);
}

}  // namespace
}  // namespace ba::scripted
