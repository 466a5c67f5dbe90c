// SPDX-License-Identifier: Apache-2.0
// A skill that switches the model in the middle of a long job: what each model is sent, that it is
// the same whenever a worker dies, and that no summary is paid twice.
#include <gmock/gmock.h>

#include "pipeline/core/context/history_rounds.hpp"
#include "pipeline/core/skill/skill_desk.hpp"
#include "pipeline/core/skill/skill_meta_tools.hpp"
#include "pipeline/text/contract/result_id.hpp"
#include "tests/support/quarter_meter.hpp"
#include "tests/worker/driver/engine_fixture.hpp"

namespace ba::driver {
namespace {

using testing::Contains;
using testing::HasSubstr;

std::string replaced(std::string text, const std::string& what, const std::string& by) {
  for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += by.size())
    text.replace(at, what.size(), by);
  return text;
}

class EngineModelSwitchTest : public EngineTest {
 protected:
  static constexpr int kSteps = 26;
  static constexpr int kActivated = 10;    ///< the step that asks for the skill
  static constexpr int kDeactivated = 17;  ///< and the one that ends it

  EngineModelSwitchTest() {
    EXPECT_TRUE(registry_.add(std::make_unique<ActivateSkillTool>(desk_)));
    EXPECT_TRUE(registry_.add(std::make_unique<DeactivateSkillTool>(executor_)));
    RunProfile profile;
    profile.model = "wide";
    profile.tools = registry_.specs({});
    profile.limits.steps_per_round_max = 60;
    agents_ = AgentDirectory({profile}, {{"wide", 3'000}, {"narrow", 1'500}, {"small", 10'000}});
    Skill skill;
    skill.name = "careful";
    skill.description = "looks twice";
    skill.body = "Look twice at everything.";
    skill.model = "narrow";
    seal(skill);
    SkillOffers offers = agents_.skills();
    offers.agents = {{"default", {"*"}}};
    offers.skills["careful"] = std::make_shared<const Skill>(std::move(skill));
    agents_.offer(std::move(offers));
    ports_.skills = &desk_;
    ports_.meter = &meter_;
    ports_.compression.mode = CompressionMode::Summarize;
    ports_.compression.refocus.every_steps = 0;
    ports_.compression.summary.model = "small";
    ports_.compression.summary.cost_micro_usd_per_hour = 1'000'000'000;
    model_.script = [this](const ModelRequest& request) { return reply_to(request); };
    model_.delay = 100ms;
  }

  std::optional<AiMessage> reply_to(const ModelRequest& request) {
    AiMessage reply;
    if (request.system.starts_with("You summarize")) {
      const int asked_at = static_cast<int>(job(job_).steps.size()) + 1;
      summaries_by_.emplace(asked_at, request.model);
      ++summaries_asked_[without_ids(std::get<HumanMessage>(*request.messages.at(0)).text)];
      reply.text = "all was looked at";
      return reply;
    }
    const int step = static_cast<int>(job(job_).steps.size()) + 1;
    std::vector<std::string> texts{request.model};
    for (const Message* message : request.messages) texts.push_back(without_ids(text_of(*message)));
    sent_[step] = std::move(texts);
    if (step > kSteps) {
      reply.text = "the answer";
      return reply;
    }
    ToolCall call;
    call.id = ToolCallId("call_" + std::to_string(step));
    call.name = "look";
    if (step == kActivated) {
      call.name = "activate_skill";
      call.args_json = R"({"skill_name":"careful"})";
    }
    if (step == kDeactivated) {
      call.name = "deactivate_skill";
      call.args_json = R"({"skill_name":"careful","activation_id":")" + activation_id() + "\"}";
    }
    reply.text = std::string(700, 'x');
    reply.tool_calls.push_back(call);
    return reply;
  }

  /// So that what is sent for two jobs can be compared.
  std::string without_ids(const std::string& text) const {
    return replaced(replaced(text, job_, "JOB"), activation_id(), "ACTIVATION");
  }

  std::string activation_id() const {
    const Position at{0, kActivated, 1};
    return activation_id_of(effect_key(TenantId("acme"), JobId(job_), at, "activate_skill"));
  }

  static std::string text_of(const Message& message) {
    if (const auto* system = std::get_if<SystemMessage>(&message)) return "system: " + system->text;
    if (const auto* human = std::get_if<HumanMessage>(&message)) return "human: " + human->text;
    if (const auto* ai = std::get_if<AiMessage>(&message)) return "ai: " + ai->text;
    // The activation's id is the job's own.
    const auto& tool = std::get<ToolMessage>(message);
    return "tool: " + tool.tool_name;
  }

  /// The job, whose worker dies when it is asked for the reply of a step (0: it doesn't).
  void run(const std::string& id, int dies_at) {
    job_ = id;
    sent_.clear();
    summaries_asked_.clear();
    summaries_by_.clear();
    auto life = begin();
    life->engine->take(records({id}));
    if (dies_at > 0) {
      ASSERT_TRUE(executor_.run_until([&] { return sent_.contains(dies_at); }, 60s));
      life = taken_over_from(*life);
    }
    const auto ended = [&] {
      const FakeJob* found = ledger_.find_job(TenantId("acme"), JobId(id));
      return found != nullptr && found->finished;
    };
    ASSERT_TRUE(executor_.run_until(ended, 60s));
    ASSERT_EQ(job(id).finished->result.outcome, Outcome::Completed);
    life->engine->drop();
  }

  SkillDesk desk_{executor_};
  QuarterMeter meter_;
  std::string job_;
  std::map<int, std::vector<std::string>> sent_;  ///< by step; the last time
  std::map<std::string, int> summaries_asked_;    ///< by what they are of
  std::map<int, std::string> summaries_by_;       ///< models, by the step that was asked for
};

TEST_F(EngineModelSwitchTest, EachModelIsSentWhatFitsItsWindow) {
  run("job-1", 0);
  ASSERT_EQ(sent_.size(), kSteps + 1U);
  EXPECT_EQ(sent_[kActivated].at(0), "wide");
  EXPECT_EQ(sent_[kActivated + 1].at(0), "narrow");
  EXPECT_EQ(sent_[kDeactivated].at(0), "narrow");
  EXPECT_EQ(sent_[kDeactivated + 1].at(0), "wide");
  for (const auto& [step, texts] : sent_) {
    std::size_t bytes = 0;
    for (const std::string& text : texts) bytes += text.size();
    EXPECT_LT(bytes / 4, texts[0] == "narrow" ? 1'200U + 200U : 2'400U + 300U) << step;
  }
}

TEST_F(EngineModelSwitchTest, TheSkillsInstructionsStayWhileItIsActive) {
  run("job-1", 0);
  for (int step = kActivated + 1; step <= kDeactivated; ++step) {
    EXPECT_THAT(sent_[step], Contains(HasSubstr("Look twice at everything."))) << step;
    EXPECT_THAT(sent_[step], Contains("human: how many?")) << step;
  }
}

TEST_F(EngineModelSwitchTest, ASummaryIsUsedThatWasWrittenWhileTheOtherModelWasAsked) {
  run("job-1", 0);
  bool summarized = false;
  for (int step = kActivated + 1; step <= kDeactivated; ++step)
    for (const std::string& text : sent_[step])
      summarized = summarized || text.starts_with("system: Summary of the conversation");
  EXPECT_TRUE(summarized);
}

TEST_F(EngineModelSwitchTest, CompressionsStandAtTheRepliesTheyWereMadeFor) {
  run("job-1", 0);
  std::set<int> steps;
  for (const auto& [at, row] : job("job-1").compressions) {
    EXPECT_EQ(at.round, 0);
    steps.insert(at.step);
  }
  EXPECT_THAT(steps, Contains(testing::AllOf(testing::Gt(kActivated), testing::Le(kDeactivated))));
  const std::string& metrics = job("job-1").finished->metrics_json;
  EXPECT_THAT(metrics, HasSubstr("\"compression_events\":" + std::to_string(steps.size())));
}

TEST_F(EngineModelSwitchTest, WhatIsSentIsTheSameWhereverTheWorkerDies) {
  run("job-1", 0);
  const auto expected = sent_;
  const std::size_t compressions = job("job-1").compressions.size();
  int unlike = 0;
  for (int dies_at = 1; dies_at <= kSteps + 1; ++dies_at) {
    const std::string id = "job-" + std::to_string(100 + dies_at);
    run(id, dies_at);
    // A summary that was being written when the worker died is lost: extracts stand for it then.
    bool lost = false;
    for (const auto& [at, summary] : job(id).summaries)
      lost = lost || summary.row.state == SummaryState::Lost;
    EXPECT_EQ(sent_.size(), expected.size()) << dies_at;
    for (const auto& [step, texts] : sent_)
      EXPECT_TRUE(lost || texts == expected.at(step)) << step << ", died at " << dies_at;
    unlike += lost;
    EXPECT_EQ(job(id).compressions.size(), compressions) << dies_at;
    for (const auto& [text, times] : summaries_asked_) EXPECT_EQ(times, 1) << dies_at;
  }
  EXPECT_LT(unlike, kSteps / 3);
}

TEST_F(EngineModelSwitchTest, WithoutAModelOfTheirOwnTheOneInForceWritesSummaries) {
  ports_.compression.summary.model.clear();
  run("job-1", 0);
  std::set<std::string> writers;
  for (const auto& [step, model] : summaries_by_) {
    writers.insert(model);
    EXPECT_EQ(model, sent_.at(step).at(0)) << step;
  }
  EXPECT_THAT(writers, testing::UnorderedElementsAre("narrow", "wide"));
}

}  // namespace
}  // namespace ba::driver
