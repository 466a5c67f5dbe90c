// SPDX-License-Identifier: Apache-2.0
#include "tests/scripted_model/script.hpp"

#include <gtest/gtest.h>

namespace ba::scripted {
namespace {

std::string error_of(const std::string& text) {
  Script script;
  const auto added = script.add(text, "s.yaml");
  return added.has_error() ? added.error().message : "";
}

TEST(Script, TheFirstMatchingEntryWins) {
  Script script;
  ASSERT_TRUE(script
                  .add("entries: [{when: {prefix: ab}, then: [{text: p}]},"
                       " {when: abc, then: [{text: e}]}, {when: x, then: [{text: x}]},"
                       " {when: {regex: '(.)y$'}, then: [{text: r}]}]",
                       "s")
                  .has_value());
  std::vector<std::string> groups;
  EXPECT_EQ(script.find("abc", groups)->when, "ab");
  EXPECT_EQ(script.find("x", groups)->when, "x");
  EXPECT_EQ(script.find("zy", groups)->when, "(.)y$");
  EXPECT_EQ(groups, (std::vector<std::string>{"zy", "z"}));
  EXPECT_EQ(script.find("zz", groups), nullptr);
}

TEST(Script, JsonIsReadAsWell) {
  Script script;
  EXPECT_TRUE(script.add(R"({"entries": [{"when": "a", "then": [{"text": "b"}]}]})", "s"));
  EXPECT_EQ(script.size(), 1U);
}

TEST(Script, QuotedScalarsStayTexts) {
  Script script;
  ASSERT_TRUE(script
                  .add("entries: [{when: a, then: [{tool_calls: [{name: t, args: {a: '5', b: 5, "
                       "c: true, d: x}}]}]}]",
                       "s")
                  .has_value());
  std::vector<std::string> groups;
  EXPECT_EQ(script.find("a", groups)->then[0].calls[0].arguments,
            R"({"a":"5","b":5,"c":true,"d":"x"})");
}

TEST(Script, ErrorsNameFileEntryAndKey) {
  EXPECT_EQ(error_of("entries: [{when: a, then: [{txt: b}]}]"),
            "s.yaml: script.entries[0].then[0].txt: unknown key");
  EXPECT_EQ(error_of("entries: [{when: {regex: '('}, then: [{text: b}]}]"),
            "s.yaml: script.entries[0].when.regex: missing ): (");
  EXPECT_NE(error_of("entries: [{when: a, then: [{text: '{{'}]}]").find("then[0].text: bad expr"),
            std::string::npos);
  EXPECT_NE(error_of("entries: [{when: a}]").find("then: needs at least one step"),
            std::string::npos);
  EXPECT_NE(error_of("entries: [{then: []}]").find("when: is missing"), std::string::npos);
  EXPECT_NE(error_of("entries: [{when: a, then: [{tool_calls: [{args: {}}]}]}]").find("name"),
            std::string::npos);
  EXPECT_NE(error_of("entries: [{when: a, then: [{faults: [{status: 200}]}]}]").find("status"),
            std::string::npos);
  EXPECT_NE(error_of("[").find("s.yaml: "), std::string::npos);
}

TEST(Script, AFileThatIsNotThereIsAnError) {
  Script script;
  EXPECT_TRUE(script.add_file("/nowhere/script.yaml").has_error());
}

}  // namespace
}  // namespace ba::scripted
