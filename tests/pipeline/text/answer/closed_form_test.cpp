// SPDX-License-Identifier: Apache-2.0
#include "pipeline/text/answer/closed_form.hpp"

#include <gtest/gtest.h>

namespace ba {
namespace {

constexpr ClosedForm kStrict{
    .object = true, .closed = true, .all_required = true, .recursive = false};

TEST(ClosedForm, NamesAllPropertiesOfEveryObject) {
  EXPECT_EQ(
      closed_form(R"({"type":"object","properties":{"a":{"type":"string"},"b":{"type":"array",)"
                  R"("items":{"$ref":"#/$defs/c"}}},"required":["a","b"],)"
                  R"("additionalProperties":false,"$defs":{"c":{"enum":[1,2],"title":"x"}}})"),
      kStrict);
  EXPECT_FALSE(closed_form(R"({"type":"object","properties":{}})").closed);
  EXPECT_FALSE(closed_form(R"({"type":"object","additionalProperties":false,"properties":{"a":)"
                           R"({"type":"object","properties":{"b":{"type":"null"}}}}})")
                   .closed);
  EXPECT_FALSE(
      closed_form(R"({"type":"object","additionalProperties":false,"required":["a"]})").closed);
}

TEST(ClosedForm, IsAnObjectOfWhatEveryProviderKnows) {
  const auto with = [](const std::string& property) {
    return closed_form(R"({"type":"object","additionalProperties":false,"required":["a"],)"
                       R"("properties":{"a":)" +
                       property + "}}");
  };
  EXPECT_EQ(with(R"({"anyOf":[{"type":"string"},{"type":"null"}]})"), kStrict);
  EXPECT_EQ(with(R"({"type":["integer","null"],"description":"how many"})"), kStrict);
  for (const char* property :
       {"{}", "true", R"({"type":"integer","minimum":1})", R"({"oneOf":[{"type":"null"}]})",
        R"({"type":"array"})", R"({"type":"array","items":[{"type":"null"}]})",
        R"({"type":"string","pattern":"x"})"})
    EXPECT_FALSE(with(property).closed) << property;
  EXPECT_FALSE(closed_form(R"({"type":"array","items":{"type":"null"}})").object);
  EXPECT_TRUE(closed_form(R"({"type":"object"})").object);
  EXPECT_FALSE(closed_form("no schema").closed);
}

TEST(ClosedForm, KnowsOptionalPropertiesAndRecursion) {
  const ClosedForm optional = closed_form(
      R"({"type":"object","additionalProperties":false,"properties":{"a":{"type":"null"}}})");
  EXPECT_TRUE(optional.closed);
  EXPECT_FALSE(optional.all_required);
  const ClosedForm tree = closed_form(
      R"({"type":"object","additionalProperties":false,"required":["a","b"],"properties":)"
      R"({"a":{"type":"array","items":{"$ref":"#"}},"b":{"$ref":"#/definitions/x"}},)"
      R"("definitions":{"x":{"type":"null"}}})");
  EXPECT_TRUE(tree.closed);
  EXPECT_TRUE(tree.recursive);
}

}  // namespace
}  // namespace ba
