// SPDX-License-Identifier: Apache-2.0
// What `ba-agent show --json` tells of a job's rounds.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "pipeline/text/contract/encode_job.hpp"
#include "pipeline/text/message/langchain_json.hpp"
#include "worker/cli/jobs/timeline_view.hpp"

namespace ba::cli {
namespace {

using nlohmann::json;

/// One round that was answered after a call and a skill; of three that were asked for.
class TimelineJson : public ::testing::Test {
 protected:
  TimelineJson() {
    Job job;
    job.tenant = timeline_.job.tenant = TenantId("acme");
    job.job_id = timeline_.job.job_id = JobId("j1");
    job.conversation_id = timeline_.job.conversation_id = ConversationId("talk");
    job.messages = {"how many?", "and late ones?", "why?"};
    timeline_.payload = encode_job(job);
    timeline_.job.state = "running";
    storage::RoundView& round = timeline_.rounds.emplace_back();
    round.round_id = "j1/0";
    round.status = "completed";
    round.final_answer = "42";
    round.tokens_used = 110;
    round.latency = Milliseconds(1234);
    round.skill_activations = {"sales", "charts"};
    round.closed_at = WallTime(Milliseconds(1'772'366'400'000));
    add_messages();
  }

  template <typename Any>
  void add(const Position& position, Any message) {
    const auto kwargs = message.meta.additional_kwargs;
    message.meta = message_meta({JobId("j1"), ConversationId("talk"), "ann"}, position, WallTime{});
    message.meta.additional_kwargs = kwargs;
    timeline_.messages.push_back({position, message_to_json(message)});
  }

  void add_messages() {
    HumanMessage asked;
    asked.text = "how many?";
    add({0, 0, 0}, asked);
    AiMessage calls;
    calls.text = "let me look";
    for (const char* id : {"c1", "c2"}) {
      ToolCall& call = calls.tool_calls.emplace_back();
      call.id = ToolCallId(id);
      call.name = "query_database";
      call.args_json = R"({"sql":"SELECT 1"})";
    }
    add({0, 1, 0}, calls);
    ToolMessage seen;
    seen.tool_call_id = ToolCallId("c1");
    seen.tool_name = "query_database";
    seen.content = "one row";
    add({0, 1, 1}, seen);
    seen.tool_call_id = ToolCallId("c2");
    seen.content = "Operation failed.";
    seen.status = ToolStatus::Error;
    add({0, 1, 2}, seen);
    AiMessage hidden;
    hidden.text = "the skill's instructions";
    hidden.meta.additional_kwargs["isMeta"] = "true";
    add({0, 1, 3}, hidden);
    HumanMessage word;
    word.text = "Skill 'sales' is active";
    word.meta.additional_kwargs["skill"] = "\"sales\"";
    add({0, 1, 4}, word);
    AiMessage answer;
    answer.thinking = "so it is 42";
    answer.text = "42";
    add({0, 2, 0}, answer);
  }

  json shown() {
    std::ostringstream out;
    std::ostringstream err;
    Terminal terminal(out, err, {});
    show_timeline_json(timeline_, terminal);
    return json::parse(out.str());
  }

  json rounds() { return shown().at("rounds"); }

  storage::JobTimeline timeline_;
};

TEST_F(TimelineJson, ARoundIsARecordOfAllThatWasSaidAndDoneInIt) {
  const json round = rounds().at(0);
  EXPECT_EQ(round.at("round"), 0);
  EXPECT_EQ(round.at("round_id"), "j1/0");
  EXPECT_EQ(round.at("conversation_id"), "talk");
  EXPECT_EQ(round.at("user_message"), "how many?");
  EXPECT_EQ(round.at("thoughts"), json::parse(R"(["let me look","so it is 42"])"));
  EXPECT_EQ(round.at("tool_calls"),
            json::parse(R"([{"id":"c1","name":"query_database","args":{"sql":"SELECT 1"}},
                            {"id":"c2","name":"query_database","args":{"sql":"SELECT 1"}}])"));
  EXPECT_EQ(round.at("tool_observations"),
            json::parse(R"([{"tool_call_id":"c1","status":"success","observation":"one row"},
                      {"tool_call_id":"c2","status":"error","observation":"Operation failed."}])"));
  EXPECT_EQ(round.at("skill_activations"), json::parse(R"(["sales","charts"])"));
  EXPECT_EQ(round.at("final_answer"), "42");
  EXPECT_EQ(round.at("tokens_used"), 110);
  EXPECT_EQ(round.at("latency_ms"), 1234);
  EXPECT_EQ(round.at("status"), "completed");
}

TEST_F(TimelineJson, AFailedCallSaysWhetherItMayBeTriedAgainOrNeedsAPerson) {
  for (const char* type : {"", "timeout", "not_found", "dependency_error"})
    timeline_.tool_calls.emplace_back().error_type = type;
  const json all = shown();
  std::vector<std::string> kinds;
  for (const json& call : all.at("tool_calls")) kinds.push_back(call.at("error_kind"));
  EXPECT_EQ(kinds, (std::vector<std::string>{"", "retryable", "permanent", "needs_person"}));
}

TEST_F(TimelineJson, MessagesStandInTheirRound) {
  storage::RoundView& second = timeline_.rounds.emplace_back();
  second.round = 1;
  second.round_id = "j1/1";
  second.status = "in_progress";
  HumanMessage asked;
  asked.text = "and late ones?";
  add({1, 0, 0}, asked);
  const json all = rounds();
  EXPECT_EQ(all.at(0).at("user_message"), "how many?");
  EXPECT_EQ(all.at(1).at("user_message"), "and late ones?");
  EXPECT_EQ(all.at(1).at("tool_calls"), json::array());
  EXPECT_EQ(all.at(1).at("status"), "in_progress");
  EXPECT_TRUE(all.at(1).at("closed_at").is_null());
}

TEST_F(TimelineJson, RoundsThatHaveNotBegunArePending) {
  const json all = rounds();
  ASSERT_EQ(all.size(), 3U);
  for (int number : {1, 2}) {
    const json& round = all.at(static_cast<std::size_t>(number));
    EXPECT_EQ(round.at("round"), number);
    EXPECT_EQ(round.at("status"), "pending");
    EXPECT_EQ(round.at("conversation_id"), "talk");
  }
  EXPECT_EQ(all.at(1).at("user_message"), "and late ones?");
  EXPECT_EQ(all.at(2).at("user_message"), "why?");
}

TEST_F(TimelineJson, OfAnEndedJobNoRoundIsToCome) {
  timeline_.job.state = "finished";
  EXPECT_EQ(rounds().size(), 1U);
}

}  // namespace
}  // namespace ba::cli
