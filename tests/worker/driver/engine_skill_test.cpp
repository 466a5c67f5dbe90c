// SPDX-License-Identifier: Apache-2.0
// Skills in the conversations of jobs: what is injected and when, what holds while one is active,
// and that all of it is the same after the worker has died.
#include <gmock/gmock.h>

#include "pipeline/core/context/history_rounds.hpp"
#include "pipeline/core/skill/skill_desk.hpp"
#include "pipeline/core/skill/skill_meta_tools.hpp"
#include "pipeline/text/contract/result_id.hpp"
#include "pipeline/text/message/validate.hpp"
#include "tests/worker/driver/engine_fixture.hpp"

namespace ba::driver {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::SizeIs;

Skill skill_of(const std::string& name) {
  Skill skill;
  skill.name = name;
  skill.description = "About " + name;
  skill.body = "Instructions of " + name;
  skill.files = {{"a.md", 9, "file of " + name}};
  return skill;
}

ToolCall call_of(const std::string& tool, const std::string& args) {
  static int last = 0;
  ToolCall call;
  call.id = ToolCallId("call_" + std::to_string(++last));
  call.name = tool;
  call.args_json = args;
  return call;
}

ToolCall activate(const std::string& skill) {
  return call_of("activate_skill", "{\"skill_name\":\"" + skill + "\"}");
}

/// What the model was sent.
struct Asked {
  std::string model;
  std::string system;
  std::vector<std::string> tools;
  std::vector<std::string> texts;
};

std::string text_of(const Message& message) {
  if (const auto* human = std::get_if<HumanMessage>(&message)) return "human: " + human->text;
  if (const auto* ai = std::get_if<AiMessage>(&message))
    return ai->tool_calls.empty() ? "ai: " + ai->text : "ai calls";
  if (const auto* tool = std::get_if<ToolMessage>(&message)) return "tool: " + tool->content;
  return "system";
}

class SkillTest : public EngineTest {
 protected:
  SkillTest() {
    EXPECT_TRUE(registry_.add(std::make_unique<ActivateSkillTool>(desk_)));
    EXPECT_TRUE(registry_.add(std::make_unique<DeactivateSkillTool>(executor_)));
    RunProfile profile;
    profile.model = "two-step";
    profile.system_prompt = "You are an analyst.";
    profile.tools = registry_.specs({});
    agents_ = AgentDirectory({profile}, {{"two-step", kContextWindow}, {"large", 200}});
    ports_.skills = &desk_;
    model_.script = [this](const ModelRequest& request) { return reply(request); };
    for (const char* name : {"a", "b", "c", "d"}) offer(skill_of(name));
  }

  void offer(Skill skill) {
    SkillOffers offers = agents_.skills();
    offers.agents = {{"default", {"*"}}};
    seal(skill);
    const std::string name = skill.name;
    offers.skills[name] = std::make_shared<const Skill>(std::move(skill));
    agents_.offer(std::move(offers));
  }

  std::optional<AiMessage> reply(const ModelRequest& request) {
    EXPECT_TRUE(validate_history(request.messages, HistoryEnd::Answered));
    Asked asked{request.model, request.system, {}, {}};
    for (const ToolSpec& tool : request.tools) asked.tools.push_back(tool.name);
    for (const Message* message : request.messages) asked.texts.push_back(text_of(*message));
    EXPECT_TRUE(std::holds_alternative<HumanMessage>(*request.messages.back()) ||
                std::holds_alternative<ToolMessage>(*request.messages.back()))
        << "a request never ends with words of the model: " << asked.texts.back();
    const auto replies = static_cast<std::size_t>(
        std::ranges::count_if(request.messages, [](const Message* message) {
          return std::holds_alternative<AiMessage>(*message) && !is_hidden(*message);
        }));
    asked_[replies] = std::move(asked);
    AiMessage message;
    if (replies < script_.size()) message.tool_calls = script_[replies];
    if (message.tool_calls.empty()) message.text = "done";
    return message;
  }

  /// Ends the skill that was activated last, whose id the model has read.
  ToolCall deactivate(const std::string& skill, const std::string& id) {
    return call_of("deactivate_skill",
                   R"({"skill_name":")" + skill + R"(","activation_id":")" + id + "\"}");
  }

  std::string id_of(int step, int call = 1, const std::string& tool = "activate_skill") const {
    return activation_id_of(
        effect_key(TenantId("acme"), JobId("j"), Position{0, step, call}, tool));
  }

  const JobResult& run() {
    life_ = begin();
    life_->engine->take(records({"j"}));
    EXPECT_TRUE(run_until_finished(1));
    return job("j").finished->result;
  }

  /// Of the request after so many replies.
  std::string tool_text(std::size_t request, std::size_t from_end = 0) const {
    std::vector<std::string> tools;
    for (const std::string& text : asked_.at(request).texts)
      if (text.starts_with("tool: ")) tools.push_back(text.substr(6));
    return tools.at(tools.size() - 1 - from_end);
  }

  int times(const std::string& part) const {
    const FakeJob* job = ledger_.find_job(TenantId("acme"), JobId("j"));
    if (job == nullptr) return 0;
    int found = 0;
    for (const auto& [position, message] : job->messages)
      if (!std::holds_alternative<ToolMessage>(message))
        found += text_of(message).find(part) != std::string::npos;
    return found;
  }

  /// The first one of the job.
  bool call_has_ended() const {
    const FakeJob* job = ledger_.find_job(TenantId("acme"), JobId("j"));
    return job && !job->calls.empty() &&
           job->calls.begin()->second.state == ToolCallState::Succeeded;
  }

  /// How the job's report tells what there is of its messages.
  std::string messages_told() const {
    return "\"messages_count\":" + std::to_string(job("j").messages.size()) + ",";
  }

  const FakeJob& job(const std::string& id) const {
    return *ledger_.find_job(TenantId("acme"), JobId(id));
  }

  SkillDesk desk_{executor_};
  std::vector<std::vector<ToolCall>> script_;
  std::map<std::size_t, Asked> asked_;  ///< by the replies before; the last time
  std::unique_ptr<Life> life_;
};

TEST_F(SkillTest, TheSystemPromptNamesThem) {
  run();
  EXPECT_THAT(asked_[0].system, HasSubstr("You are an analyst.\n\nYou have skills"));
  EXPECT_THAT(asked_[0].system, HasSubstr("<name>a</name>\n<description>About a</description>"));
  EXPECT_THAT(asked_[0].tools, ElementsAre("activate_skill", "deactivate_skill", "look"));
}

TEST_F(SkillTest, WithoutSkillsThereIsNeitherCatalogueNorTool) {
  agents_.offer({});
  run();
  EXPECT_EQ(asked_[0].system, "You are an analyst.");
  EXPECT_THAT(asked_[0].tools, ElementsAre("look"));
}

TEST_F(SkillTest, ATenantMayHaveFewer) {
  SkillOffers offers = agents_.skills();
  offers.tenants = {{"acme", {"b"}}};
  agents_.offer(std::move(offers));
  run();
  EXPECT_THAT(asked_[0].system, HasSubstr("<name>b</name>"));
  EXPECT_THAT(asked_[0].system, Not(HasSubstr("<name>a</name>")));
}

TEST_F(SkillTest, AnActivationInjectsItsInstructionsAfterTheObservation) {
  script_ = {{activate("a")}};
  const JobResult& result = run();
  EXPECT_EQ(result.outcome, Outcome::Completed);
  const auto& texts = asked_.at(1).texts;
  ASSERT_EQ(texts.size(), 5U);
  EXPECT_EQ(texts[1], "ai calls");
  EXPECT_THAT(texts[2], HasSubstr("\"activation_id\": \"" + id_of(1) + "\""));
  EXPECT_EQ(texts[3],
            "ai: <skill_content name=\"a\">\nInstructions of a\n<skill_resources>\n"
            "<file>a.md</file>\n</skill_resources>\n</skill_content>");
  EXPECT_THAT(texts[4], HasSubstr("human: Skill 'a' is active (activation_id " + id_of(1)));
  const Message& hidden = job("j").messages.at({0, 1, 2});
  EXPECT_EQ(meta_of(hidden).additional_kwargs.at("isMeta"), "true");
  EXPECT_EQ(meta_of(hidden).message_id.value, "j/0/1.2");
  EXPECT_THAT(job("j").finished->metrics_json, HasSubstr("\"skill_activations\":1"));
  EXPECT_THAT(job("j").finished->metrics_json, HasSubstr("\"unique_skills\":[\"a\"]"));
  EXPECT_EQ(job("j").messages.size(), 6U) << "with the two that were injected";
  EXPECT_THAT(job("j").finished->metrics_json, HasSubstr(messages_told()));
}

TEST_F(SkillTest, ToolsAreToldWhichAreActive) {
  script_ = {{call_of("look", "{}")}, {activate("a")},         {call_of("look", "{}")},
             {activate("b")},         {call_of("look", "{}")}, {deactivate("b", id_of(4))},
             {call_of("look", "{}")}};
  run();
  EXPECT_THAT(tool_->skills, ElementsAre("", "a ", "a b ", "a "));
}

TEST_F(SkillTest, TheTelemetryOfACallHasTheActivationThatItBelongsTo) {
  script_ = {{call_of("look", "{}")}, {activate("a")},         {call_of("look", "{}")},
             {activate("b")},         {call_of("look", "{}")}, {deactivate("b", id_of(4))},
             {call_of("look", "{}")}};
  run();
  const std::string a = "a " + id_of(2);
  const std::string b = "b " + id_of(4);
  EXPECT_THAT(observer_.activations,
              ElementsAre("look:  ", "activate_skill: " + a, "look: " + a, "activate_skill: " + b,
                          "look: " + b, "deactivate_skill: " + b, "look: " + a));
}

TEST_F(SkillTest, ParametersReachTheModel) {
  script_ = {{call_of("activate_skill", R"({"skill_name":"a","parameters":{"year":2026}})")}};
  run();
  EXPECT_THAT(asked_.at(1).texts.back(), HasSubstr("Parameters: {\"year\":2026}."));
}

TEST_F(SkillTest, AFileIsReadWithoutAnActivation) {
  script_ = {{call_of("activate_skill", R"({"skill_name":"a","load_level":3,"resource":"a.md"})")}};
  run();
  EXPECT_THAT(asked_.at(1).texts.back(), HasSubstr("file of a"));
  EXPECT_THAT(job("j").finished->metrics_json, Not(HasSubstr("skill_activations")));
}

TEST_F(SkillTest, ACycleIsRefusedWithTheWholeOfIt) {
  script_ = {{activate("a")}, {activate("b")}, {activate("c")}, {activate("a")}};
  run();
  EXPECT_EQ(tool_text(4),
            "Operation failed.\n\nError Type: validation_error\nError Code: SKILL_CYCLE\n"
            "Error Message: Circular dependency detected: a → b → c → a\n\nTool Call ID: " +
                script_[3][0].id.value);
  EXPECT_EQ(times("Skill 'a' is active"), 1);
}

TEST_F(SkillTest, AFourthIsRefusedWithTheStackAsItIs) {
  script_ = {{activate("a")}, {activate("b")}, {activate("c")}, {activate("d")}};
  run();
  EXPECT_THAT(tool_text(4), HasSubstr("Error Type: validation_error"));
  EXPECT_THAT(tool_text(4), HasSubstr("Maximum skill activation depth (3) exceeded. Current "
                                      "stack: a → b → c"));
  EXPECT_THAT(job("j").finished->metrics_json, HasSubstr("\"skill_activations\":3"));
}

TEST_F(SkillTest, SeveralInOneReplyCountOneAfterTheOther) {
  script_ = {{activate("a"), activate("b"), activate("c"), activate("d")}};
  run();
  EXPECT_THAT(tool_text(1), HasSubstr("Current stack: a → b → c"));
  EXPECT_EQ(times("is active (activation_id"), 3);
  EXPECT_EQ(job("j").calls.at({0, 1, 4}).state, ToolCallState::Failed);
}

TEST_F(SkillTest, AnUnknownSkillIsNotFound) {
  script_ = {{activate("aa")}};
  run();
  EXPECT_THAT(tool_text(1), HasSubstr("Error Type: not_found"));
}

TEST_F(SkillTest, AToolOutsideItIsDeniedUntilTheSkillIsEnded) {
  Skill skill = skill_of("a");
  skill.allowed_tools = {{"query_database"}};
  offer(skill);
  script_ = {{activate("a")},
             {call_of("look", "{}")},
             {deactivate("a", id_of(1))},
             {call_of("look", "{}")}};
  run();
  EXPECT_THAT(tool_text(2), HasSubstr("Error Type: permission_denied"));
  EXPECT_THAT(tool_text(2), HasSubstr("Available tools: activate_skill, deactivate_skill"));
  EXPECT_THAT(tool_text(3), HasSubstr("\"deactivated\": \"a\""));
  EXPECT_THAT(tool_text(4), HasSubstr("rows"));
  EXPECT_THAT(tool_->keys, SizeIs(1));
}

TEST_F(SkillTest, ItHoldsFromTheNextStepOn) {
  Skill skill = skill_of("a");
  skill.allowed_tools.emplace();
  offer(skill);
  script_ = {{activate("a"), call_of("look", "{}")}};
  run();
  EXPECT_THAT(tool_->keys, SizeIs(1));
}

TEST_F(SkillTest, TheEndOfARoundLiftsEverything) {
  Skill skill = skill_of("a");
  skill.allowed_tools.emplace();
  skill.model = "large";
  offer(skill);
  job_messages_ = {"first", "second"};
  script_ = {{activate("a")}, {}, {call_of("look", "{}")}};
  run();
  ASSERT_EQ(asked_.size(), 4U);
  EXPECT_EQ(asked_[1].model, "large");
  EXPECT_EQ(asked_[2].model, "two-step");
  EXPECT_THAT(tool_text(3), HasSubstr("rows"));
}

TEST_F(SkillTest, ItsModelAnswersTheFollowingSteps) {
  Skill skill = skill_of("a");
  skill.model = "large";
  offer(skill);
  script_ = {{activate("a")}, {deactivate("a", id_of(1))}};
  run();
  ASSERT_EQ(asked_.size(), 3U);
  EXPECT_EQ(asked_[0].model, "two-step");
  EXPECT_EQ(asked_[1].model, "large");
  EXPECT_EQ(asked_[2].model, "two-step");
}

TEST_F(SkillTest, APopThatDoesNotMatchChangesNothing) {
  Skill skill = skill_of("b");
  skill.allowed_tools.emplace();
  offer(skill);
  script_ = {{activate("a")},
             {activate("b")},
             {deactivate("a", id_of(1))},
             {deactivate("b", id_of(1))},
             {call_of("look", "{}")},
             {deactivate("b", id_of(2)), deactivate("a", id_of(1))},
             {call_of("look", "{}")}};
  run();
  EXPECT_THAT(tool_text(3), HasSubstr("Error Type: validation_error"));
  EXPECT_THAT(tool_text(3), HasSubstr("deactivate 'b' (" + id_of(2) + ") first"));
  EXPECT_THAT(tool_text(4), HasSubstr("SKILL_NOT_NEWEST"));
  EXPECT_THAT(tool_text(5), HasSubstr("permission_denied"));
  EXPECT_THAT(tool_text(6, 1), HasSubstr("\"deactivated\": \"b\""));
  EXPECT_THAT(tool_text(6, 0), HasSubstr("\"deactivated\": \"a\""));
  EXPECT_THAT(tool_text(7), HasSubstr("rows"));
}

TEST_F(SkillTest, AJobActivatesItsOwnInEachOfItsRounds) {
  Skill skill = skill_of("b");
  skill.disable_model_invocation = true;
  skill.allowed_tools.emplace();
  offer(skill);
  job_skills_ = {"a", "b"};
  job_messages_ = {"first", "second"};
  script_ = {{call_of("look", "{}")}, {activate("b")}, {}, {call_of("look", "{}")}};
  const JobResult& result = run();
  EXPECT_EQ(result.outcome, Outcome::Completed);
  const auto& texts = asked_.at(0).texts;
  ASSERT_EQ(texts.size(), 5U);
  EXPECT_EQ(texts[0], "human: first");
  EXPECT_THAT(texts[1], HasSubstr("ai: <skill_content name=\"a\">"));
  EXPECT_THAT(texts[3], HasSubstr("ai: <skill_content name=\"b\">"));
  EXPECT_THAT(texts[3], HasSubstr("<skill_permissions name=\"b\">")) << "one message, not two";
  EXPECT_THAT(texts[4], HasSubstr("human: Skill 'b' is active"));
  EXPECT_THAT(asked_[0].system, Not(HasSubstr("<name>b</name>"))) << "not offered to a model";
  EXPECT_THAT(tool_text(1), HasSubstr("permission_denied"));
  EXPECT_THAT(tool_text(2), HasSubstr("SKILL_NOT_FOR_MODELS"));
  EXPECT_THAT(tool_text(4), HasSubstr("permission_denied"));
  EXPECT_THAT(job("j").finished->metrics_json, HasSubstr("\"skill_activations\":4"));
  EXPECT_THAT(job("j").finished->metrics_json, HasSubstr(messages_told()));
  EXPECT_EQ(job("j").messages.at({0, 0, 0}), job("j").messages.begin()->second);
  EXPECT_EQ(text_of(job("j").messages.at({1, 0, 0})), "human: second");
}

TEST_F(SkillTest, AJobThatNamesAnUnknownSkillIsInvalid) {
  job_skills_ = {"zzz"};
  const JobResult& result = run();
  EXPECT_EQ(result.outcome, Outcome::InvalidJob);
  EXPECT_EQ(result.error->message, "skills: skill 'zzz' is not configured; there are: a, b, c, d");
}

TEST_F(SkillTest, AJobThatNamesTooManyIsInvalid) {
  job_skills_ = {"a", "b", "c", "d"};
  EXPECT_EQ(run().error->message, "skills: 4 skills, but at most 3 can be active at once");
}

TEST_F(SkillTest, AJobThatNamesOneTwiceIsInvalid) {
  job_skills_ = {"a", "b", "a"};
  const JobResult& result = run();
  EXPECT_EQ(result.outcome, Outcome::InvalidJob);
  EXPECT_EQ(result.error->message, "skills: 'a' stands there twice");
}

// ---- after a crash -----------------------------------------------------------------------------

TEST_F(SkillTest, AWorkerThatDiesBetweenActivationAndNextStepInjectsOnce) {
  Skill skill = skill_of("a");
  skill.allowed_tools.emplace();
  skill.model = "large";
  offer(skill);
  script_ = {{activate("a")}, {call_of("look", "{}")}};
  life_ = begin();
  life_->engine->take(records({"j"}));
  ASSERT_TRUE(executor_.run_until([&] { return times("Instructions of a") == 1; }, 10s));
  life_ = taken_over_from(*life_);
  ASSERT_TRUE(run_until_finished(1));
  EXPECT_EQ(times("Instructions of a"), 1);
  EXPECT_EQ(times("Skill 'a' is active"), 1);
  EXPECT_EQ(asked_.at(1).model, "large");
  EXPECT_THAT(asked_.at(1).texts.at(3), HasSubstr("Instructions of a"));
  EXPECT_THAT(tool_text(2), HasSubstr("permission_denied")) << "the restriction came along";
  EXPECT_THAT(job("j").finished->metrics_json, HasSubstr(messages_told()));
}

TEST_F(SkillTest, AWorkerThatDiesBeforeTheActivationIsDurableActivatesItAgainOnce) {
  script_ = {{activate("a")}};
  ledger_.fail_next(LedgerCall::Append, ledger_is_down());
  life_ = begin();
  life_->engine->take(records({"j"}));
  ASSERT_TRUE(executor_.run_until(
      [&] {
        const FakeJob* found = ledger_.find_job(TenantId("acme"), JobId("j"));
        return found && !found->calls.empty() &&
               found->calls.begin()->second.state == ToolCallState::Running;
      },
      10s));
  life_ = taken_over_from(*life_);
  ASSERT_TRUE(run_until_finished(1));
  EXPECT_EQ(times("Instructions of a"), 1);
  EXPECT_THAT(asked_.rbegin()->second.texts.back(), HasSubstr(id_of(1)));
}

TEST_F(SkillTest, ItsOpenStepIsTakenOverWithWhatWasInjectedAndWhatHeld) {
  tool_->takes = 5s;
  script_ = {{activate("a"), call_of("look", "{}")}};
  life_ = begin();
  life_->engine->take(records({"j"}));
  ASSERT_TRUE(executor_.run_until([&] { return times("Instructions of a") == 1; }, 10s));
  life_ = taken_over_from(*life_);
  ASSERT_TRUE(run_until_finished(1));
  const auto& texts = asked_.rbegin()->second.texts;
  ASSERT_EQ(texts.size(), 6U);
  EXPECT_THAT(texts[2], HasSubstr("tool: "));
  EXPECT_THAT(texts[3], HasSubstr("tool: "));
  EXPECT_THAT(texts[4], HasSubstr("Instructions of a"));
  EXPECT_THAT(job("j").finished->metrics_json, HasSubstr(messages_told()));
}

TEST_F(SkillTest, AJobGoesOnWithTheSkillAsItWasWhenItWasFirstUsed) {
  script_ = {{activate("a")},
             {call_of("activate_skill", R"({"skill_name":"a","load_level":3,"resource":"a.md"})")},
             {activate("b")}};
  life_ = begin();
  life_->engine->take(records({"j"}));
  ASSERT_TRUE(executor_.run_until([&] { return times("Instructions of a") == 1; }, 10s));
  // The next worker's directory has another version of one, and lacks none of the others.
  Skill changed = skill_of("a");
  changed.files[0].text = "changed";
  offer(changed);
  life_ = taken_over_from(*life_);
  ASSERT_TRUE(run_until_finished(1));
  EXPECT_THAT(asked_.at(2).texts.back(), HasSubstr("file of a"));
  EXPECT_EQ(asked_.at(1).system, asked_.at(0).system) << "the prefix is the same";
  EXPECT_EQ(times("Skill 'b' is active"), 1);
}

TEST_F(SkillTest, ASkillThatIsGoneMeanwhileStaysWithTheJobThatUsesIt) {
  job_skills_ = {"a"};
  script_ = {{call_of("look", "{}")}, {deactivate("a", id_of(0))}};
  life_ = begin();
  life_->engine->take(records({"j"}));
  ASSERT_TRUE(executor_.run_until([&] { return call_has_ended(); }, 10s));
  agents_.offer({});
  life_ = taken_over_from(*life_);
  ASSERT_TRUE(run_until_finished(1));
  EXPECT_EQ(job("j").finished->result.outcome, Outcome::Completed);
  EXPECT_THAT(tool_text(asked_.size() - 1), HasSubstr("\"deactivated\": \"a\""));
}

TEST_F(SkillTest, AStackOfSeveralIsTheSameAgain) {
  script_ = {{activate("a")}, {activate("b")}, {deactivate("b", id_of(2))},
             {activate("c")}, {activate("a")}, {deactivate("c", id_of(4))}};
  life_ = begin();
  life_->engine->take(records({"j"}));
  ASSERT_TRUE(executor_.run_until([&] { return times("Skill 'c' is active") == 1; }, 20s));
  life_ = taken_over_from(*life_);
  ASSERT_TRUE(run_until_finished(1));
  EXPECT_THAT(tool_text(5), HasSubstr("Circular dependency detected: a → c → a"));
  EXPECT_THAT(tool_text(6), HasSubstr("\"deactivated\": \"c\""));
  EXPECT_THAT(job("j").finished->metrics_json, HasSubstr("\"skill_activations\":3"));
}

}  // namespace
}  // namespace ba::driver
