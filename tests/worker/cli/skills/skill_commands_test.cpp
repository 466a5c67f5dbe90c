// SPDX-License-Identifier: Apache-2.0
// `ba-agent skill`, as a user runs it; no server runs.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "tests/worker/cli/program_fixture.hpp"

namespace ba::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using Json = nlohmann::json;

class SkillCommands : public ProgramTest {
 protected:
  void add(const std::string& place, const std::string& fields,
           const std::string& body = "Do it.") {
    std::filesystem::create_directories(folder_ / place);
    write(place + "/SKILL.md", "---\n" + fields + "---\n" + body + "\n");
  }
};

TEST_F(SkillCommands, CheckSaysWhetherADirectoryIsASkillAndWhatIsWrong) {
  add("s/sales", "name: sales\ndescription: d\n");
  ProgramRun ran = run("skill check s/sales");
  EXPECT_EQ(ran.exit_code, 0) << ran.err;
  EXPECT_EQ(ran.out, "valid  s/sales\n");
  add("s/charts", "name: charts\ndescription: d\nversion: 1\n");
  ran = run("skill check s/sales s/charts");
  EXPECT_EQ(ran.exit_code, 1);
  EXPECT_THAT(ran.out, HasSubstr("error  s/charts/SKILL.md:4: version: is no field of the format"));
  EXPECT_THAT(ran.out, HasSubstr("valid  s/sales\n"));
  ran = run("skill check s/charts --json");
  EXPECT_EQ(Json::parse(ran.out)["skills"][0]["valid"], false);
  EXPECT_EQ(run("skill check nowhere").exit_code, 1);
}

TEST_F(SkillCommands, CheckOfARootChecksEachSkillInIt) {
  add("s/sales", "name: sales\ndescription: d\n");
  add("s/charts", "name: charts\ndescription: d\nversion: 1\n");
  const ProgramRun ran = run("skill check s");
  EXPECT_EQ(ran.exit_code, 1);
  EXPECT_THAT(ran.out, HasSubstr("valid  s/sales\n"));
  EXPECT_THAT(ran.out, HasSubstr("error  s/charts/SKILL.md:4: version: is no field of the format"));
  const Json skills = Json::parse(run("skill check s --json").out)["skills"];
  ASSERT_EQ(skills.size(), 2U);
  EXPECT_EQ(skills[0]["directory"], "s/charts");
  EXPECT_EQ(skills[1]["valid"], true);
  std::filesystem::create_directories(folder_ / "empty");
  const ProgramRun empty = run("skill check empty");
  EXPECT_EQ(empty.exit_code, 1);
  EXPECT_THAT(empty.out, HasSubstr("empty/SKILL.md"));
}

TEST_F(SkillCommands, CheckNeedsNoConfiguration) {
  add("s/sales", "name: sales\ndescription: d\n");
  write("ba-agent.yaml", "tools: {nonsense: 1}\n");
  EXPECT_EQ(run("skill check s/sales").exit_code, 0);
  EXPECT_EQ(run("skill list").exit_code, 78);
}

TEST_F(SkillCommands, ListShowsWhatIsOfferedAndWhatIsNotAndWhy) {
  add("s/sales", "name: sales\ndescription: About sales\n");
  add("s/broken", "description: d\n");
  add("s/switching", "name: switching\ndescription: d\nmetadata:\n  model: nobody\n");
  write("ba-agent.yaml", "skills: {roots: [s]}\n");
  const ProgramRun ran = run("skill list");
  EXPECT_EQ(ran.exit_code, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("About sales"));
  EXPECT_THAT(ran.out, HasSubstr("left out  s/broken: "));
  EXPECT_THAT(ran.out, HasSubstr("\"nobody\" is no model of llm.models"));
  const Json json = Json::parse(run("skill list --json").out);
  EXPECT_EQ(json["skills"][1]["name"], "sales");
  EXPECT_EQ(json["skills"][1]["offered"], true);
  EXPECT_EQ(json["skills"][0]["offered"], false);
}

TEST_F(SkillCommands, ListOfNoDirectoriesSaysSoAndOneThatIsNotThereIsAFailure) {
  EXPECT_THAT(run("skill list").out, HasSubstr("skills.roots"));
  write("ba-agent.yaml", "skills: {roots: [nowhere]}\n");
  const ProgramRun ran = run("skill list");
  EXPECT_EQ(ran.exit_code, 1);
  EXPECT_THAT(ran.out, HasSubstr("nowhere"));
}

TEST_F(SkillCommands, ShowHasFieldsFilesAndInstructionsWithoutControlCharacters) {
  add("s/sales", "name: sales\ndescription: About sales\nallowed-tools: query_database\n",
      "Do \x1b[31mit.");
  write("s/sales/a.md", "text");
  write("ba-agent.yaml", "skills: {roots: [s]}\n");
  const ProgramRun ran = run("skill show sales");
  EXPECT_EQ(ran.exit_code, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("allowed tools: query_database"));
  EXPECT_THAT(ran.out, HasSubstr("a.md (4 bytes)"));
  EXPECT_THAT(ran.out, Not(HasSubstr("\x1b")));
  EXPECT_EQ(Json::parse(run("skill show sales --json").out)["files"][0]["path"], "a.md");
}

TEST_F(SkillCommands, ShowOfAnUnknownOneNamesTheNearest) {
  add("s/sales", "name: sales\ndescription: d\n");
  write("ba-agent.yaml", "skills: {roots: [s]}\n");
  const ProgramRun ran = run("skill show sale");
  EXPECT_EQ(ran.exit_code, 1);
  EXPECT_THAT(ran.err, HasSubstr("did you mean 'sales'?"));
}

TEST_F(SkillCommands, ConfigCheckAndDoctorSayWhatIsWrongWithThem) {
  add("s/sales", "name: sales\ndescription: d\n");
  add("s/broken", "description: d\n");
  write("ba-agent.yaml",
        "skills:\n  roots: [s, nowhere]\n  tenants:\n    acme: {skills: [charts]}\n"
        "agents:\n  a:\n    skills: [sale]\n");
  const std::vector<std::string> wanted{
      "ba-agent.yaml:2: skills.roots: ", "s/broken: it can't be read as a skill",
      "s/broken/SKILL.md",
      "ba-agent.yaml:4: skills.tenants.acme.skills: there is no skill 'charts' (there are: sales)",
      "ba-agent.yaml:7: agents.a.skills: there is no skill 'sale'; did you mean 'sales'?"};
  const ProgramRun checked = run("config check");
  EXPECT_EQ(checked.exit_code, 0) << "a worker runs so, and warns: " << checked.out;
  const ProgramRun doctor = run("doctor");
  for (const std::string& words : wanted) {
    EXPECT_THAT(checked.out, HasSubstr(words));
    EXPECT_THAT(doctor.out, HasSubstr(words));
  }
  EXPECT_THAT(checked.out, HasSubstr("warning  ba-agent.yaml:2: skills.roots: "));
  EXPECT_EQ(Json::parse(run("config check --json").out)["ok"], true);
}

TEST_F(SkillCommands, DoctorCountsThoseThatAreOffered) {
  add("s/sales", "name: sales\ndescription: d\n");
  write("ba-agent.yaml", "skills: {roots: [s]}\n");
  EXPECT_THAT(run("doctor").out, HasSubstr("PASS  skills                    1 skill offered"));
  EXPECT_THAT(run("config check").out, Not(HasSubstr("skill")));
}

TEST_F(SkillCommands, LimitsThatDontFitTogetherAreAConfigurationError) {
  write("ba-agent.yaml", "skills: {body_bytes_max: 100000, skill_bytes_max: 2000}\n");
  EXPECT_THAT(run("config check").out, HasSubstr("can't be above skill_bytes_max (2000)"));
}

}  // namespace
}  // namespace ba::cli
