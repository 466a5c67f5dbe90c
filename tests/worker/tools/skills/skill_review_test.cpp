// SPDX-License-Identifier: Apache-2.0
#include "worker/tools/configured_skills.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/temporary_directory.hpp"

namespace ba::skills {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

class SkillReviewTest : public testing::Test {
 protected:
  SkillReviewTest() {
    config_.tools.of<SkillsConfig>().roots = {root_.path()};
    config_.agents["default"];
  }

  void add(const std::string& name, const std::string& fields) const {
    root_.write(name + "/SKILL.md", "---\n" + fields + "---\nDo it.\n");
  }

  TemporaryDirectory root_;
  config::Config config_;
};

TEST_F(SkillReviewTest, SaysNothingWhereAllIsWell) {
  add("sales", "name: sales\ndescription: d\n");
  config_.agents["a"].skills = {"sales"};
  config_.tools.of<SkillsConfig>().tenants["acme"] = {"sales"};
  const SkillReview review = tools::review_skills(config_);
  EXPECT_THAT(review.words, IsEmpty());
  EXPECT_EQ(review.skills.size(), 1U);
  EXPECT_THAT(tools::review_skills(config::Config()).words, IsEmpty());
}

TEST_F(SkillReviewTest, NamesRootsThatAreNotThere) {
  config_.tools.of<SkillsConfig>().roots = {"/no/such/place"};
  EXPECT_THAT(tools::review_skills(config_).words,
              ElementsAre(AllOf(StartsWith("skills.roots: "), HasSubstr("/no/such/place"))));
}

TEST_F(SkillReviewTest, NamesSkillsThatCanNotBeOfferedWithTheReason) {
  add("broken", "description: d\n");
  add("switching", "name: switching\ndescription: d\nmetadata:\n  model: huge\n");
  const SkillReview review = tools::review_skills(config_);
  EXPECT_THAT(review.skills, IsEmpty());
  EXPECT_THAT(review.words, Contains(HasSubstr("broken: it can't be read as a skill")));
  EXPECT_THAT(review.words, Contains(AllOf(HasSubstr("broken/SKILL.md"), HasSubstr("name"))));
  EXPECT_THAT(review.words, Contains(HasSubstr("skill 'switching' is not offered: it switches to "
                                               "model 'huge', which is not under llm.models")));
}

TEST_F(SkillReviewTest, NamesWhatAgentsAndTenantsWantAndNoRootHas) {
  add("sales", "name: sales\ndescription: d\n");
  config_.agents["a"].skills = {"sale", "*"};
  config_.tools.of<SkillsConfig>().tenants["acme"] = {"charts"};
  EXPECT_THAT(tools::review_skills(config_).words,
              ElementsAre("agents.a.skills: there is no skill 'sale'; did you mean 'sales'? (there "
                          "are: sales)",
                          "skills.tenants.acme.skills: there is no skill 'charts' (there are: "
                          "sales)"));
  config_.tools.of<SkillsConfig>().roots.clear();
  EXPECT_THAT(tools::review_skills(config_).words, Contains(HasSubstr("'sale' (there are: none)")));
}

}  // namespace
}  // namespace ba::skills
