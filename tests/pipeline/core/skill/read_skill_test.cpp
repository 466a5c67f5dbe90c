// SPDX-License-Identifier: Apache-2.0
#include "pipeline/core/skill/read_skill.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "pipeline/text/message/token_estimate.hpp"

namespace ba {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

const std::string kKey(64, 'a');

Skill skill_of(const std::string& name) {
  Skill skill;
  skill.name = name;
  skill.description = "About <" + name + "> & more";
  skill.body = "Do " + name + ".";
  seal(skill);
  return skill;
}

class ReadSkill : public testing::Test {
 protected:
  void offer(Skill skill) {
    const std::string name = skill.name;
    skills_.offered[name] = std::make_shared<const Skill>(std::move(skill));
  }

  SkillAnswer ask(const std::string& name, SkillLevel level = SkillLevel::Instructions,
                  const std::string& resource = "") const {
    SkillRequest request;
    request.name = name;
    request.level = level;
    request.resource = resource;
    request.key = kKey;
    return read_skill(skills_, request);
  }

  SkillActivation activation_of(const std::string& name,
                                SkillLevel level = SkillLevel::Instructions,
                                const std::string& resource = "") const {
    return std::get<SkillActivation>(ask(name, level, resource));
  }

  ToolError error_of(const std::string& name, SkillLevel level = SkillLevel::Instructions,
                     const std::string& resource = "") const {
    return std::get<ToolError>(ask(name, level, resource));
  }

  JobSkills skills_;
};

TEST_F(ReadSkill, ActivatingBringsItsInstructionsHiddenAndAWordToTheModel) {
  offer(skill_of("sales"));
  const SkillActivation activation = activation_of("sales");
  EXPECT_TRUE(activation.activates);
  EXPECT_EQ(activation.activation_id, "skill-aaaaaaaaaaaaaaaa");
  ASSERT_EQ(activation.messages.size(), 2U);
  EXPECT_EQ(activation.messages[0].kind, SkillMessageKind::Metadata);
  EXPECT_EQ(activation.messages[1].kind, SkillMessageKind::Instruction);
  EXPECT_EQ(activation.messages[0].visibility, SkillVisibility::Visible);
  EXPECT_THAT(activation.messages[0].content,
              HasSubstr("Skill 'sales' is active (activation_id skill-aaaaaaaaaaaaaaaa)"));
  EXPECT_EQ(activation.messages[1].visibility, SkillVisibility::Hidden);
  EXPECT_EQ(activation.messages[1].content,
            "<skill_content name=\"sales\">\nDo sales.\n</skill_content>");
  EXPECT_EQ(activation.modifier, ContextModifier{});
}

TEST_F(ReadSkill, ItsRestrictionsAreTold) {
  Skill skill = skill_of("sales");
  skill.allowed_tools = {{"query_database"}};
  skill.model = "large";
  offer(skill);
  const SkillActivation activation = activation_of("sales");
  ASSERT_EQ(activation.messages.size(), 3U);
  EXPECT_EQ(activation.messages[2].kind, SkillMessageKind::Permissions);
  EXPECT_EQ(activation.messages[2].visibility, SkillVisibility::Hidden);
  EXPECT_THAT(activation.messages[2].content, HasSubstr("query_database"));
  EXPECT_THAT(activation.messages[2].content, HasSubstr("large"));
  EXPECT_EQ(activation.modifier.model, "large");
}

TEST_F(ReadSkill, ParametersStandInTheWordToTheModel) {
  offer(skill_of("sales"));
  EXPECT_THAT(activation_of("sales").messages.at(0).content, Not(HasSubstr("Parameters")));
  SkillRequest request;
  request.name = "sales";
  request.key = kKey;
  request.parameters = R"({"year":2026})";
  const auto activation = std::get<SkillActivation>(read_skill(skills_, request));
  EXPECT_THAT(activation.messages.at(0).content, HasSubstr("Parameters: {\"year\":2026}."));
}

/// The conversation reads what the model wrote, of which a check has taken nulls and 2.00.
TEST_F(ReadSkill, ARequestIsReadAsTheSchemaTakesIt) {
  const SkillRequest whole = skill_request_of(R"({"skill_name":"a","load_level":2.00})");
  EXPECT_EQ(whole.level, SkillLevel::Instructions);
  EXPECT_EQ(skill_request_of(R"({"skill_name":"a","load_level":3e0})").level,
            SkillLevel::Resources);
  const SkillRequest nulls =
      skill_request_of(R"({"skill_name":"a","load_level":null,"resource":null,"parameters":null})");
  EXPECT_EQ(nulls.level, SkillLevel::Instructions);
  EXPECT_EQ(nulls.resource, "");
  EXPECT_EQ(nulls.parameters, "{}");
}

TEST_F(ReadSkill, OnlyAnActivationHasAnId) {
  Skill skill = skill_of("sales");
  skill.files = {{"a.md", 1, "A"}};
  offer(skill);
  const auto id = [this](SkillLevel level, const std::string& resource) {
    return nlohmann::json::parse(activation_json(activation_of("sales", level, resource)))
        .at("activation_id");
  };
  EXPECT_TRUE(id(SkillLevel::Description, "").is_null());
  EXPECT_TRUE(id(SkillLevel::Resources, "").is_null());
  EXPECT_TRUE(id(SkillLevel::Resources, "a.md").is_null());
  EXPECT_EQ(id(SkillLevel::Instructions, ""), "skill-aaaaaaaaaaaaaaaa");
}

TEST_F(ReadSkill, AnUnknownSkillIsToldWithTheNearestName) {
  offer(skill_of("delay-analysis"));
  Skill hidden = skill_of("delay-secret");
  hidden.disable_model_invocation = true;
  offer(hidden);
  const ToolError error = error_of("delay-analisis");
  EXPECT_EQ(error.type, ToolErrorType::NotFound);
  EXPECT_EQ(error.message,
            "There is no skill 'delay-analisis'; did you mean 'delay-analysis'? There are: "
            "delay-analysis");
  EXPECT_EQ(error_of("zzz").message, "There is no skill 'zzz'. There are: delay-analysis");
}

TEST_F(ReadSkill, OneThatIsDisabledForModelsIsRefusedButItsFilesAreReadWhileItIsActive) {
  Skill skill = skill_of("sales");
  skill.disable_model_invocation = true;
  skill.files = {{"a.md", 1, "A"}};
  offer(skill);
  for (const SkillLevel level :
       {SkillLevel::Description, SkillLevel::Instructions, SkillLevel::Resources})
    EXPECT_EQ(error_of("sales", level).type, ToolErrorType::PermissionDenied);
  EXPECT_FALSE(skills_.stack.push(job_activation(skill, kKey)));
  EXPECT_EQ(activation_of("sales", SkillLevel::Resources, "a.md").activation_id,
            "skill-aaaaaaaaaaaaaaaa");
  EXPECT_EQ(error_of("sales").type, ToolErrorType::PermissionDenied);
}

TEST_F(ReadSkill, FilesAreListedAndReadOneByOne) {
  Skill skill = skill_of("sales");
  skill.files = {{"logo.png", 5, std::nullopt, true}, {"references/a.md", 4, "text"}};
  offer(skill);
  const SkillActivation list = activation_of("sales", SkillLevel::Resources);
  EXPECT_FALSE(list.activates);
  EXPECT_EQ(list.activation_id, "");
  EXPECT_THAT(list.messages.at(0).content, HasSubstr("<file>references/a.md</file>"));
  EXPECT_EQ(
      activation_of("sales", SkillLevel::Resources, "./references/a.md").messages.at(0).content,
      "<skill_resource name=\"sales\" file=\"references/a.md\">\ntext\n</skill_resource>");
  EXPECT_EQ(error_of("sales", SkillLevel::Resources, "references/b.md").message,
            "Skill 'sales' has no file 'references/b.md'; did you mean 'references/a.md'? Its "
            "files: logo.png, references/a.md");
  EXPECT_EQ(error_of("sales", SkillLevel::Resources, "../../etc/passwd").type,
            ToolErrorType::NotFound);
  EXPECT_EQ(error_of("sales", SkillLevel::Resources, "logo.png").code,
            "SKILL_RESOURCE_NOT_READABLE");
}

TEST_F(ReadSkill, SaysOfAFileThatCantBeReadWhatItIsAndItsSize) {
  Skill skill = skill_of("sales");
  skill.files = {{"a.xlsx", 9000, std::nullopt, true},
                 {"b.csv", 900'000, std::nullopt, false},
                 {"old.bin", 7, std::nullopt}};
  offer(skill);
  EXPECT_EQ(error_of("sales", SkillLevel::Resources, "a.xlsx").message,
            "File 'a.xlsx' of skill 'sales' (9000 bytes) is binary, no UTF-8 text; it can't be "
            "read here");
  EXPECT_EQ(error_of("sales", SkillLevel::Resources, "old.bin").message,
            "File 'old.bin' of skill 'sales' (7 bytes) is no UTF-8 text, or larger than what is "
            "read (skills.resource_bytes_max)")
      << "as an older worker stored it";
  EXPECT_EQ(error_of("sales", SkillLevel::Resources, "b.csv").message,
            "File 'b.csv' of skill 'sales' (900000 bytes) is larger than what is read "
            "(skills.resource_bytes_max)");
}

TEST_F(ReadSkill, LevelOneTellsWhatItIsForAndChangesNothing) {
  Skill skill = skill_of("sales");
  skill.capabilities = {"a", "b"};
  offer(skill);
  const SkillActivation reading = activation_of("sales", SkillLevel::Description);
  EXPECT_FALSE(reading.activates);
  EXPECT_THAT(reading.messages.at(0).content, HasSubstr("<capabilities>a, b</capabilities>"));
  EXPECT_THAT(reading.messages.at(0).content, Not(HasSubstr("Do sales.")));
}

TEST_F(ReadSkill, AnEntryOfTheCatalogueTakesAboutAHundredTokensWhateverTheSkillHolds) {
  Skill skill = skill_of("delay-analysis");
  skill.description = std::string(240, 'd');
  skill.body = std::string(20'000, 'b');
  skill.files = {{"references/a.md", 9, std::string(20'000, 'f')}};
  offer(skill);
  const std::string one = skill_catalogue(skills_.offered);
  skill.name = "other-analysis";
  offer(skill);
  const std::string two = skill_catalogue(skills_.offered);
  const std::int64_t entry = estimated_tokens(two) - estimated_tokens(one);
  EXPECT_GE(entry, 60) << "its description alone";
  EXPECT_LE(entry, 100);
}

TEST_F(ReadSkill, TheCatalogueIsInOrderEscapedAndWithoutThoseThatOnlyJobsActivate) {
  EXPECT_EQ(skill_catalogue(skills_.offered), "");
  Skill only_jobs = skill_of("alpha");
  only_jobs.disable_model_invocation = true;
  offer(only_jobs);
  EXPECT_EQ(skill_catalogue(skills_.offered), "");
  offer(skill_of("sales"));
  Skill charts = skill_of("charts");
  charts.capabilities = {"bars"};
  offer(charts);
  const std::string text = skill_catalogue(skills_.offered);
  EXPECT_THAT(text, HasSubstr("<available_skills>\n<skill>\n<name>charts</name>\n"
                              "<description>About &lt;charts&gt; &amp; more</description>\n"
                              "<capabilities>bars</capabilities>\n</skill>\n<skill>\n"
                              "<name>sales</name>\n"));
  EXPECT_THAT(text, Not(HasSubstr("alpha")));
}

}  // namespace
}  // namespace ba
