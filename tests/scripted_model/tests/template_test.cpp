// SPDX-License-Identifier: Apache-2.0
#include "tests/scripted_model/template.hpp"

#include <gtest/gtest.h>

namespace ba::scripted {
namespace {

Scope two_rounds() {
  Scope scope;
  scope.rounds = {{"How many?", {"N=12", "N=13"}, "There are 13."},
                  {"And?", {R"({"rows":[{"n":5,"s":"five"}]})"}, ""}};
  scope.groups = {"And?", "An"};
  scope.variables = {{"n", "4"}};
  return scope;
}

std::optional<std::string> render(const std::string& text) {
  const auto parsed = Template::parse(text);
  EXPECT_TRUE(parsed.has_value()) << text;
  return parsed->render(two_rounds());
}

TEST(Template, TakesValuesFromTheConversation) {
  EXPECT_EQ(render("plain"), "plain");
  EXPECT_EQ(render("{{question}}/{{match.1}}/{{n}}/{{rounds}}"), "And?/An/4/2");
  EXPECT_EQ(render("{{observation.-1 | json '/rows/0/n'}}"), "5");
  EXPECT_EQ(render("{{observation.0 | json '/rows/0/s'}}"), "five");
  EXPECT_EQ(render("{{earlier.-1.observation.1 | regex 'N=(\\d+)'}}"), "13");
  EXPECT_EQ(render("{{earlier.0.answer | regex '\\d+'}} {{earlier.0.question}}"), "13 How many?");
  EXPECT_EQ(render("{{observations}} {{earlier.0.observations}}"), "1 2");
}

TEST(Template, ReadsDataAsAModelIsGivenThem) {
  const auto found = [](const std::string& observation, const std::string& pointer) {
    Scope scope;
    scope.rounds = {{"q", {observation}, ""}};
    return Template::parse("{{observation.0 | json '" + pointer + "'}}")->render(scope);
  };
  const std::string table =
      "[2]{n,\"a b\"}:\n  1,\"x, \\\"y\"\n  -2.5,z w\n… 3 more rows\nOnly two.";
  EXPECT_EQ(found(table, "/0/n"), "1");
  EXPECT_EQ(found(table, "/0/a b"), "x, \"y");
  EXPECT_EQ(found(table, "/1/n"), "-2.5");
  EXPECT_EQ(found(table, "/1/a b"), "z w");
  EXPECT_EQ(found(table, "/2/n"), std::nullopt);
  EXPECT_EQ(found("[\n  {\n    \"n\": 5\n  }\n]\nOnly one.\n\nData: x", "/0/n"), "5");
  EXPECT_EQ(found("[1,2]", "/1"), "2");
  EXPECT_EQ(found("… 3 more rows", "/0"), std::nullopt);
}

TEST(Template, HasNoValueWhereTheConversationHasNone) {
  for (const char* text :
       {"{{observation.1}}", "{{observation.-2}}", "{{earlier.-2.answer}}", "{{match.2}}",
        "{{nothing}}", "{{answer}}", "{{earlier.1.question}}", "{{question | regex 'x'}}",
        "{{observation.0 | json '/a'}}", "{{question | json '/a'}}", "{{question | plus 1}}"}) {
    EXPECT_EQ(render(text), std::nullopt) << text;
  }
  EXPECT_EQ(render("{{nothing | default 'it''s gone'}}"), "it's gone");
}

TEST(Template, Calculates) {
  EXPECT_EQ(render("{{n | plus 1}} {{n | minus n}} {{n | times 2.5}}"), "5 0 10");
  EXPECT_EQ(render("{{n | divide 3 | round 2}} {{n | divide 3 | round}}"), "1.33 1");
  EXPECT_EQ(render("{{n | divide 0}}"), std::nullopt);
}

TEST(Template, RefusesWhatItCanNotRead) {
  for (const char* text : {"{{", "{{}}", "{{a", "{{a | }}", "{{a | nofilter}}", "{{a | regex 'x}}",
                           "{{a b}}", "{{ | trim}}"}) {
    EXPECT_TRUE(Template::parse(text).has_error()) << text;
  }
}

}  // namespace
}  // namespace ba::scripted
