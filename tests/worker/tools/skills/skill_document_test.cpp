// SPDX-License-Identifier: Apache-2.0
#include "worker/tools/skills/skill_document.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

namespace ba::skills {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Severity = SkillFinding::Severity;

const std::string kData = "tests/worker/tools/skills/data/";

std::string content_of(const std::string& file) {
  std::ostringstream text;
  text << std::ifstream(file, std::ios::binary).rdbuf();
  return text.str();
}

SkillDocument read_case(const std::string& name) {
  return read_skill_document(content_of(kData + name + "/SKILL.md"), "SKILL.md", name);
}

SkillDocument read_fields(const std::string& fields) {
  return read_skill_document("---\nname: sales\ndescription: d\n" + fields + "---\nx", "SKILL.md",
                             "sales");
}

/// The verdicts are those of skills-ref 0.1.1; the integration tests ask it again.
TEST(SkillDocument, ItsVerdictsAreThoseOfTheReferenceValidator) {
  std::ifstream verdicts(kData + "verdicts.txt");
  std::string line;
  int cases = 0;
  while (std::getline(verdicts, line)) {
    const std::string name = line.substr(line.find(' ') + 1);
    const SkillDocument document = read_case(name);
    std::string findings;
    for (const SkillFinding& finding : document.findings) findings += finding.text + "\n";
    EXPECT_EQ(document.valid(), line.starts_with("valid ")) << name << "\n" << findings;
    ++cases;
  }
  EXPECT_GT(cases, 50);
}

TEST(SkillDocument, ReadsEveryField) {
  const SkillDocument document = read_case("all-fields");
  EXPECT_TRUE(document.valid());
  const Skill& skill = document.skill;
  EXPECT_EQ(skill.name, "all-fields");
  EXPECT_EQ(skill.description, "Counts flights. Use it for questions about flights.");
  EXPECT_EQ(skill.license, "Apache-2.0");
  EXPECT_EQ(skill.compatibility, "Needs PostgreSQL");
  EXPECT_THAT(skill.allowed_tools.value(), ElementsAre("query_database", "file_reader"));
  EXPECT_THAT(skill.capabilities, ElementsAre("counting", "comparing"));
  EXPECT_EQ(skill.model, "small");
  EXPECT_EQ(skill.metadata.at("version"), "1.0");
  EXPECT_EQ(skill.body, "Count them.");
}

TEST(SkillDocument, WithoutAllowedToolsNothingIsRestrictedAndAnEmptyListAllowsNone) {
  EXPECT_EQ(read_case("plain").skill.allowed_tools, std::nullopt);
  EXPECT_TRUE(read_fields("allowed-tools: ''\n").skill.allowed_tools.value().empty());
}

TEST(SkillDocument, AllowedToolsMayBeAListInEitherForm) {
  for (const char* list :
       {"allowed-tools:\n  - a\n  - b(c d:*)\n", "allowed-tools: [a, 'b(c d:*)']\n"}) {
    const SkillDocument document = read_fields(list);
    EXPECT_TRUE(document.usable()) << list;
    EXPECT_THAT(document.skill.allowed_tools.value(), ElementsAre("a", "b(c d:*)")) << list;
  }
  EXPECT_TRUE(read_fields("allowed-tools: []\n").skill.allowed_tools.value().empty());
}

TEST(SkillDocument, ARestrictionThatIsNotClearIsNeverLeftOut) {
  for (const char* fields :
       {"allowed-tools:\n", "allowed-tools: ~\n", "allowed-tools:\n  a: b\n",
        "allowed-tools:\n  - a\n  - b: c\n", "allowed-tools:\n  -\n", "allowed-tools: [[a]]\n",
        "allowed_tools: a\n", "allowedTools: a\n", "Allowed-Tools: a\n", "tools: a\n",
        "disallowed-tools: a\n", "metadata:\n  allowed-tools: a\n"}) {
    const SkillDocument document = read_fields(fields);
    EXPECT_FALSE(document.usable()) << fields;
    ASSERT_FALSE(document.findings.empty()) << fields;
  }
  EXPECT_TRUE(read_fields("metadata:\n  tools: psql and duckdb\n").valid()) << "metadata is free";
  EXPECT_EQ(read_fields("allowed_tools: a\n").findings.back().text,
            "SKILL.md:4: allowed_tools: restricts nothing as it stands; write the tools that are "
            "allowed as allowed-tools, at the top");
  EXPECT_EQ(read_fields("allowed-tools:\n").findings.back().text,
            "SKILL.md:4: allowed-tools: must be a text, or a list of texts; '' allows no tool, and "
            "without the field all are allowed");
}

TEST(SkillDocument, WhateverIsNotFalseKeepsModelsFromIt) {
  for (const char* fields :
       {"disable-model-invocation:\n", "disable-model-invocation: [false]\n",
        "metadata:\n  disable-model-invocation:\n    a: b\n", "disable_model_invocation: true\n",
        "Disable-Model-Invocation: true\n",
        "disable-model-invocation: false\nmetadata:\n  disable-model-invocation: true\n"})
    EXPECT_TRUE(read_fields(fields).skill.disable_model_invocation) << fields;
  EXPECT_FALSE(read_fields("disable-model-invocation: false\n").skill.disable_model_invocation);
}

TEST(SkillDocument, FindingsNameFileLineKeyAndValue) {
  const SkillDocument document = read_fields("version: 1\n");
  ASSERT_EQ(document.findings.size(), 1U);
  EXPECT_EQ(document.findings[0].text,
            "SKILL.md:4: version: is no field of the format (there are: allowed-tools, "
            "compatibility, description, license, metadata, name)");
  EXPECT_EQ(read_case("upper-case").findings.front().text,
            "SKILL.md:2: name: \"Upper-case\" must be in lower case");
  EXPECT_THAT(read_case("tab-indent").findings.front().text,
              HasSubstr("SKILL.md:5: not valid YAML"));
  EXPECT_THAT(read_case("no-description").findings.front().text,
              HasSubstr("description: is missing"));
}

TEST(SkillDocument, WhatOtherClientsWriteAtTheTopIsReadAndAnError) {
  const SkillDocument document = read_fields(
      "model: large\ndisable-model-invocation: true\n"
      "capabilities:\n  - a\n  - b\n");
  EXPECT_FALSE(document.valid());
  EXPECT_TRUE(document.usable());
  EXPECT_EQ(document.skill.model, "large");
  EXPECT_TRUE(document.skill.disable_model_invocation);
  EXPECT_THAT(document.skill.capabilities, ElementsAre("a", "b"));
}

TEST(SkillDocument, AWordThatIsNeitherTrueNorFalseKeepsModelsFromIt) {
  const SkillDocument document = read_fields("metadata:\n  disable-model-invocation: 'yes'\n");
  EXPECT_TRUE(document.skill.disable_model_invocation);
  ASSERT_EQ(document.findings.size(), 1U);
  EXPECT_EQ(document.findings[0].text,
            "SKILL.md:5: disable-model-invocation: \"yes\" must be true or false; it counts as "
            "true");
}

TEST(SkillDocument, WhatIsWrongButClearCanBeOffered) {
  for (const char* name :
       {"description-1025", "unknown-field", "other-directory", "flow-list", "compatibility-501",
        "double--hyphen", "colon-in-text", "byte-order-mark", "blank-line-first"})
    EXPECT_TRUE(read_case(name).usable()) << name;
  for (const char* name :
       {"no-name", "no-description", "blank-description", "upper-case", "underscore", "not-closed",
        "unclosed-quote", "bad-indent", "duplicate-key"})
    EXPECT_FALSE(read_case(name).usable()) << name;
}

std::string description_of(const std::string& field) {
  const SkillDocument document =
      read_skill_document("---\nname: sales\n" + field + "\n---\nx", "SKILL.md", "sales");
  EXPECT_TRUE(document.usable()) << field << document.findings.back().text;
  return document.skill.description;
}

TEST(SkillDocument, TakesAByteOrderMarkAndSaysSo) {
  const SkillDocument document = read_case("byte-order-mark");
  EXPECT_TRUE(document.usable());
  EXPECT_EQ(document.skill.name, "byte-order-mark");
  ASSERT_EQ(document.findings.size(), 1U);
  EXPECT_EQ(document.findings[0].text,
            "SKILL.md:1: begins with a byte order mark, which other clients don't take; the first "
            "characters must be \"---\"");
}

TEST(SkillDocument, TakesBlankLinesBeforeItsFrontmatterAndCountsThem) {
  const SkillDocument document = read_skill_document(
      "\n\r\n--- \t\nname: sales\ndescription: d\nx: 1\n---  \nx", "SKILL.md", "sales");
  EXPECT_TRUE(document.usable());
  ASSERT_EQ(document.findings.size(), 2U);
  EXPECT_THAT(document.findings[0].text, HasSubstr("SKILL.md:1: begins with blanks"));
  EXPECT_THAT(document.findings[1].text, HasSubstr("SKILL.md:6: x: is no field"));
}

TEST(SkillDocument, ReadsAColonInADescriptionAsTextAndSaysSo) {
  const SkillDocument document = read_case("colon-in-text");
  EXPECT_EQ(document.skill.description, "Counts: flights");
  ASSERT_EQ(document.findings.size(), 1U);
  EXPECT_EQ(document.findings[0].text,
            "SKILL.md:3: description: is no YAML without quotes around it (a colon, or how it "
            "begins); it is read as text");
}

TEST(SkillDocument, ReadsDescriptionsAsPeopleWriteThem) {
  const std::pair<const char*, const char*> cases[]{
      {"description: Use when: a thing. Covers two: it's a, \"b\"",
       "Use when: a thing. Covers two: it's a, \"b\""},
      {"description: Ends with:", "Ends with:"},
      {"description: Use when: a\n  Covers two: b\n\n  and c", "Use when: a Covers two: b and c"},
      {"description: Use when: a\r\nlicense: MIT\r", "Use when: a"},
      {"description: Use when: a\n# a comment: b\nlicense: MIT", "Use when: a"},
      {"description: **Bold** words", "**Bold** words"},
      {"description: `code` words", "`code` words"},
      {"description: @scope/name helps", "@scope/name helps"},
      {"description: [Beta] Counts", "[Beta] Counts"},
      {"description: {{name}} counts", "{{name}} counts"},
      {"description: \"A\" and \"B\"", "\"A\" and \"B\""},
      {"description: \"Use \"this\" well\"", "Use \"this\" well"},
      {"description: 'It's a thing'", "It's a thing"},
      {"description: \tAfter\ta tab", "After\ta tab"},
      {"description: \"Use when: \\u00e4\"", "Use when: ä"},
      {"description: 'It''s: a'", "It's: a"},
      {"description: >\n  Use when: a\n  b\n", "Use when: a b"},
      {"description: >-\n  Use when: a\n\n  b # c", "Use when: a\nb # c"},
      {"description: |\n  Use when: a\n  b\n", "Use when: a\nb"},
      {"description: C# and a#b, http://h/p, 10:30", "C# and a#b, http://h/p, 10:30"},
  };
  for (const auto& [field, text] : cases) EXPECT_EQ(description_of(field), text) << field;
}

TEST(SkillDocument, ReadsAColonInAValueOfMetadataAsTextAndSaysWhere) {
  const SkillDocument document = read_skill_document(
      "---\nname: sales\ndescription: d\nmetadata:\n  # who: wrote it\n  author: ACME: sales team\n"
      "  plain: x\n\n  long: two: lines\n    of it\n  tick: `code`\nlicense: MIT\n---\nx",
      "SKILL.md", "sales");
  EXPECT_TRUE(document.usable());
  EXPECT_EQ(document.skill.license, "MIT");
  EXPECT_EQ(document.skill.metadata,
            (std::map<std::string, std::string>{{"author", "ACME: sales team"},
                                                {"plain", "x"},
                                                {"long", "two: lines of it"},
                                                {"tick", "`code`"}}));
  std::vector<std::string> said;
  for (const auto& finding : document.findings) said.push_back(finding.text.substr(0, 26));
  EXPECT_THAT(said, ElementsAre("SKILL.md:6: metadata.autho",
                                "SKILL.md:9: metadata.long:", "SKILL.md:11: metadata.tick"));
}

TEST(SkillDocument, NoRestrictionIsEverReadAsTextOfMetadata) {
  for (const char* metadata :
       {"  a: b: c\n  allowed-tools: a\n", "  a: b: c\n  allowed-tools: a: b\n",
        "  a: b: c\n    allowed-tools: a\n", "  a: b: c\n    disable-model-invocation: true\n",
        "  a: b: c allowed-tools: a\n", "  a: b: c\n allowed-tools: a\n",
        "  disable-model-invocation: a: b\n"})
    EXPECT_FALSE(read_fields("metadata:\n" + std::string(metadata)).usable()) << metadata;
}

TEST(SkillDocument, SaysThatACommentEndsADescription) {
  const SkillDocument document =
      read_skill_document("---\nname: sales\ndescription: Issue #12\nallowed-tools: a # b\n---\nx",
                          "SKILL.md", "sales");
  EXPECT_EQ(document.skill.description, "Issue");
  EXPECT_TRUE(document.valid());
  ASSERT_EQ(document.findings.size(), 1U);
  EXPECT_EQ(document.findings[0].text,
            "SKILL.md:3: description: the text behind \" #\" is a comment to YAML and left out; "
            "put the text in quotes to keep it");
  EXPECT_TRUE(read_fields("license: 'a #b'\n").findings.empty());
}

/// Where one text can't be read, others are never guessed at the cost of a restriction.
TEST(SkillDocument, NoRestrictionIsEverReadAsText) {
  for (const char* fields :
       {"allowed-tools: a: b\n", "allowed-tools: *a\n", "allowed-tools: [a\n",
        "allowed_tools: a: b\n", "disable-model-invocation: a: b\n",
        "license: a: b\n  allowed-tools: a\n", "license: a: b\n - allowed-tools: a\n",
        "license: a: b\n  \"allowed-tools\": a\n",
        "license: a: b\n\tdisable-model-invocation: true\n",
        "license: a: b\n? allowed-tools\n: a\n", "license: a: b\n  tools: a\n",
        "license: a: b\n\"allowed-tools\": a: b\n", "license: a: b allowed-tools: c\n",
        "license: a: b\n  x y. allowed-tools: c\n", "metadata: {disable-model-invocation: true\n",
        "metadata:\n  a: b: c\n  allowed-tools: a\n", "license: \"a\nallowed-tools: b\n"})
    EXPECT_FALSE(read_fields(fields).usable()) << fields;
  const SkillDocument document = read_fields("license: a: b\nallowed-tools: c\n");
  EXPECT_TRUE(document.usable());
  EXPECT_THAT(document.skill.allowed_tools.value(), ElementsAre("c"));
  EXPECT_EQ(document.skill.license, "a: b");
  EXPECT_TRUE(read_fields("license: a: b\ndisable-model-invocation: true\n")
                  .skill.disable_model_invocation);
  EXPECT_FALSE(read_fields("license: a: b\nAllowed Tools: c\n").usable());
}

TEST(SkillDocument, RefusesTextThatIsNoUtf8) {
  const SkillDocument document = read_skill_document("---\nname: \xff\n---\n", "SKILL.md", "");
  EXPECT_FALSE(document.usable());
  EXPECT_THAT(document.findings.front().text, HasSubstr("must be UTF-8"));
}

TEST(SkillDocument, WarnsOfALongBodyAndOfNone) {
  const std::string head = "---\nname: a\ndescription: d\n---\n";
  std::string lines;
  for (int i = 0; i < 600; ++i) lines += "x\n";
  EXPECT_THAT(read_skill_document(head + lines, "SKILL.md", "a").findings.front().text,
              HasSubstr("more than the 500"));
  const SkillDocument empty = read_skill_document(head, "SKILL.md", "a");
  EXPECT_TRUE(empty.valid());
  EXPECT_EQ(empty.findings.front().severity, Severity::Warning);
}

TEST(SkillDocument, WarnsOfInstructionsOfMoreThanFiveThousandTokens) {
  const std::string head = "---\nname: a\ndescription: d\n---\n";
  const auto findings_of = [&head](std::size_t characters) {
    return read_skill_document(head + std::string(characters, 'x'), "SKILL.md", "a").findings;
  };
  EXPECT_THAT(findings_of(20'003), ::testing::IsEmpty()) << "5000 and three quarters";
  const auto findings = findings_of(20'004);
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0].severity, Severity::Warning);
  EXPECT_EQ(findings[0].text,
            "SKILL.md: instructions of about 5001 tokens, more than the 5000 that the format "
            "recommends; move parts into files of their own");
}

TEST(SkillDocument, ToolNamesMayHavePatternsInParentheses) {
  EXPECT_THAT(tool_names_in("Bash(git add:*) Read,  Write\n"),
              ElementsAre("Bash(git add:*)", "Read", "Write"));
  EXPECT_TRUE(tool_names_in("  ").empty());
}

}  // namespace
}  // namespace ba::skills
