// SPDX-License-Identifier: Apache-2.0
#include "worker/tools/skills/skill_directory.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/temporary_directory.hpp"

namespace ba::skills {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
namespace fs = std::filesystem;

std::string document_of(const std::string& name, const std::string& description = "d") {
  return "---\nname: " + name + "\ndescription: " + description + "\n---\nDo it.\n";
}

class SkillDirectory : public testing::Test {
 protected:
  void add(const std::string& place, const std::string& description = "d") {
    root_.write(place + "/SKILL.md", document_of(fs::path(place).filename(), description));
  }

  FoundSkills find(const std::vector<std::string>& roots) {
    config_.roots.clear();
    for (const std::string& root : roots) config_.roots.push_back(root_.path() / root);
    return find_skills(config_);
  }

  SkillDocument read(const std::string& place) {
    return read_skill_directory(root_.path() / place, config_.limits);
  }

  std::vector<std::string> paths_in(const std::string& place) {
    std::vector<std::string> paths;
    for (const SkillFile& file : read(place).skill.files) paths.push_back(file.path);
    return paths;
  }

  TemporaryDirectory root_;
  SkillsConfig config_;
};

TEST_F(SkillDirectory, FindsTheSkillsOfItsRootsAndTheFirstOfANameCounts) {
  add("a/sales", "of a");
  add("a/charts");
  add("b/sales", "of b");
  add("b/quality");
  root_.write("a/no-skill/README.md", "x");
  const FoundSkills found = find({"a", "b"});
  EXPECT_EQ(found.skills.size(), 3U);
  EXPECT_EQ(found.skills.at("sales")->description, "of a");
  ASSERT_EQ(found.found.size(), 4U);
  EXPECT_THAT(found.found[3].left_out, HasSubstr("'sales' is in "));
  EXPECT_TRUE(found.findings.empty());
}

TEST_F(SkillDirectory, ARootThatIsNotThereIsAFinding) {
  add("a/sales");
  const FoundSkills found = find({"nowhere", "a"});
  EXPECT_EQ(found.skills.size(), 1U);
  ASSERT_EQ(found.findings.size(), 1U);
  EXPECT_THAT(found.findings[0].text, HasSubstr("nowhere"));
}

TEST_F(SkillDirectory, ASkillThatCantBeReadIsLeftOutAndTheOthersAreNot) {
  add("a/sales");
  root_.write("a/broken/SKILL.md", "no frontmatter");
  const FoundSkills found = find({"a"});
  EXPECT_EQ(found.skills.size(), 1U);
  EXPECT_FALSE(found.found[0].left_out.empty());
}

TEST_F(SkillDirectory, HasItsFilesInOrderWithoutHiddenOnes) {
  add("sales");
  root_.write("sales/scripts/b.py", "b");
  root_.write("sales/references/a.md", "text");
  root_.write("sales/.git/config", "x");
  root_.write("sales/logo.png", std::string("\x89PNG\0", 5));
  EXPECT_THAT(paths_in("sales"), ElementsAre("logo.png", "references/a.md", "scripts/b.py"));
  const Skill skill = read("sales").skill;
  EXPECT_EQ(skill.files[0].text, std::nullopt) << "no text";
  EXPECT_EQ(skill.files[1].text, "text");
}

TEST_F(SkillDirectory, ABinaryFileIsKnownAsOneAndCostsTheSkillNothing) {
  config_.limits.resource_bytes_max = 10;
  add("sales");
  root_.write("sales/a.zip", std::string("PK\x03\x04\0\0", 6));
  root_.write("sales/b.png", "\x89PNG\r\n");
  root_.write("sales/c.bin", std::string(11, '\0'));
  root_.write("sales/d.md", "text");
  const SkillDocument document = read("sales");
  EXPECT_TRUE(document.valid());
  EXPECT_TRUE(document.findings.empty());
  const std::vector<SkillFile> expected{{"a.zip", 6, std::nullopt, true},
                                        {"b.png", 6, std::nullopt, true},
                                        {"c.bin", 11, std::nullopt, false},
                                        {"d.md", 4, "text"}};
  EXPECT_EQ(document.skill.files, expected) << "what is too large isn't looked into";
  const auto back = skill_from_json(skill_json(document.skill));
  ASSERT_TRUE(back);
  EXPECT_EQ(*back, document.skill);
  EXPECT_EQ(find({"."}).skills.size(), 1U);
}

TEST_F(SkillDirectory, FollowsNoLinks) {
  add("sales");
  root_.write("secret", "s");
  root_.write("outside/x.md", "x");
  fs::create_symlink(root_.path() / "secret", root_.path() / "sales/secret.md");
  fs::create_directory_symlink(root_.path() / "outside", root_.path() / "sales/outside");
  const SkillDocument document = read("sales");
  EXPECT_TRUE(document.skill.files.empty());
  ASSERT_EQ(document.findings.size(), 2U);
  EXPECT_THAT(document.findings[0].text, HasSubstr("sales/outside: is a symbolic link"));

  fs::create_directories(root_.path() / "a/linked");
  fs::create_symlink(root_.path() / "sales/SKILL.md", root_.path() / "a/linked/SKILL.md");
  fs::create_directory_symlink(root_.path() / "sales", root_.path() / "a/sales");
  fs::create_directory_symlink(root_.path() / "sales", root_.path() / "a/..data");
  const FoundSkills found = find({"a"});
  EXPECT_TRUE(found.found.empty());
  ASSERT_EQ(found.findings.size(), 2U) << "nothing that may be meant for a skill goes unsaid";
  EXPECT_THAT(found.findings[0].text, HasSubstr("a/linked/SKILL.md: is a symbolic link"));
  EXPECT_THAT(found.findings[1].text, HasSubstr("a/sales: is a symbolic link"));
  EXPECT_FALSE(read("a/linked").usable());
}

TEST_F(SkillDirectory, IsBoundedInFilesDepthAndBytes) {
  config_.limits.files_max = 2;
  config_.limits.depth_max = 1;
  config_.limits.resource_bytes_max = 10;
  add("sales");
  root_.write("sales/a/b/c.md", "deep");
  root_.write("sales/large.md", std::string(11, 'x'));
  root_.write("sales/m.md", "m");
  root_.write("sales/n.md", "n");
  const SkillDocument document = read("sales");
  EXPECT_THAT(paths_in("sales"), ElementsAre("large.md", "m.md"));
  EXPECT_EQ(document.skill.files[0].text, std::nullopt);
  ASSERT_EQ(document.findings.size(), 2U);
  EXPECT_THAT(document.findings[0].text, HasSubstr("sales/a/b: lies deeper than 1"));
  EXPECT_THAT(document.findings[1].text, HasSubstr("more than 2 files"));
  EXPECT_TRUE(document.valid());

  config_.limits.skill_bytes_max = 40;
  EXPECT_FALSE(read("sales").usable());
  config_.limits.body_bytes_max = 10;
  EXPECT_THAT(read("sales").findings.front().text, HasSubstr("is larger than 10 bytes"));
}

TEST_F(SkillDirectory, RootsAreBoundedInSkillsAndBytes) {
  for (const char* name : {"a", "b", "c"}) add(std::string("r/") + name);
  config_.limits.skills_max = 2;
  EXPECT_EQ(find({"r"}).skills.size(), 2U);
  EXPECT_THAT(find({"r"}).findings.at(0).text, HasSubstr("more than 2 skills"));
  config_.limits.total_bytes_max = 7;  // one body: "Do it."
  EXPECT_EQ(find({"r"}).skills.size(), 1U);
}

TEST_F(SkillDirectory, ItsHashChangesWithAnyOfItsTexts) {
  add("sales");
  root_.write("sales/a.md", "1");
  const std::string before = read("sales").skill.hash;
  EXPECT_EQ(before.size(), 64U);
  EXPECT_EQ(read("sales").skill.hash, before);
  root_.write("sales/a.md", "2");
  EXPECT_NE(read("sales").skill.hash, before);
}

TEST_F(SkillDirectory, ComesBackFromItsStoredForm) {
  add("sales");
  root_.write("sales/a.md", "1");
  root_.write("sales/b.bin", std::string("\0", 1));
  const Skill skill = read("sales").skill;
  const auto back = skill_from_json(skill_json(skill));
  ASSERT_TRUE(back);
  EXPECT_EQ(*back, skill);
  EXPECT_EQ(skill_from_json("{}").error().code, ErrorCode::Corrupt);
}

TEST_F(SkillDirectory, AStoredFormWithTextThatNoMessageCouldHoldIsCorrupt) {
  add("sales");
  root_.write("sales/a.md", "1");
  const std::string stored = skill_json(read("sales").skill);
  ASSERT_TRUE(skill_from_json(stored));
  const auto damaged = [&](const std::string& part, const std::string& by) {
    std::string text = stored;
    text.replace(text.find(part), part.size(), by);
    return skill_from_json(text);
  };
  const auto body = damaged("Do it.", "Do\\u0000it.");
  ASSERT_FALSE(body);
  EXPECT_EQ(body.error().code, ErrorCode::Corrupt);
  EXPECT_THAT(body.error().message, HasSubstr("body: byte 2 is a NUL character"));
  const auto file = damaged(R"("text":"1")", R"("text":"\u0000")");
  ASSERT_FALSE(file);
  EXPECT_EQ(file.error().code, ErrorCode::Corrupt);
  EXPECT_THAT(file.error().message, HasSubstr("files.0.text: byte 0 is a NUL character"));
  const auto name = damaged(R"("metadata":{)", R"("metadata":{"\u0000":"x")");
  ASSERT_FALSE(name);
  EXPECT_EQ(name.error().code, ErrorCode::Corrupt);
  const auto bytes = damaged("Do it.", "Do \xff it.");
  ASSERT_FALSE(bytes);
  EXPECT_EQ(bytes.error().code, ErrorCode::Corrupt);
}

}  // namespace
}  // namespace ba::skills
