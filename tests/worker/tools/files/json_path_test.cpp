// SPDX-License-Identifier: Apache-2.0
#include "worker/tools/files/json_path.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace ba::files {
namespace {

using Json = nlohmann::ordered_json;
using testing::HasSubstr;

const char* const kDocument =
    R"({"rows":[{"n":1,"käse":"x"},{"n":2},{"m":3}],"two words":{"a.b":true},"it's":null,"e":[]})";

std::string at(const std::string& path) {
  const auto found = select_json(Json::parse(kDocument), path);
  return found ? found->dump() : found.error().message;
}

TEST(JsonPath, FindsMembersAndItems) {
  EXPECT_EQ(at("$"), Json::parse(kDocument).dump());
  EXPECT_EQ(at("$.rows[0].n"), "1");
  EXPECT_EQ(at("$['rows'][1]"), R"({"n":2})");
  EXPECT_EQ(at("$.rows[-1].m"), "3");
  EXPECT_EQ(at("$.rows[0].käse"), R"("x")");
  EXPECT_EQ(at(R"($["two words"]['a.b'])"), "true");
  EXPECT_EQ(at(R"($['it\'s'])"), "null");
}

TEST(JsonPath, AWildcardGivesAllThatItMeets) {
  EXPECT_EQ(at("$.rows[*].n"), "[1,2]") << "what lacks the member is passed over";
  EXPECT_EQ(at("$.rows.*"), R"([{"n":1,"käse":"x"},{"n":2},{"m":3}])");
  EXPECT_EQ(at("$.e[*]"), "[]");
  EXPECT_EQ(at("$.e[*].n"), "[]");
  EXPECT_EQ(at("$['two words'].*"), "[true]");
}

TEST(JsonPath, SaysWhatIsThereInstead) {
  EXPECT_EQ(at("$.row"),
            "json_path '$.row' leads nowhere: no member 'row'; the members are rows, two words, "
            "it's, e");
  EXPECT_EQ(at("$.rows[3]"),
            "json_path '$.rows[3]' leads nowhere: no item 3; there is an array of 3 items");
  EXPECT_EQ(at("$.rows[-4]"),
            "json_path '$.rows[-4]' leads nowhere: no item -4; there is an array of 3 items");
  EXPECT_THAT(at("$.rows[0].n.x"), HasSubstr("no member 'x'; there is a number"));
  EXPECT_THAT(at("$.rows.n"), HasSubstr("there is an array of 3 items"));
  EXPECT_EQ(select_json(Json::parse("{}"), "$.x").error().code, ErrorCode::NotFound);
}

TEST(JsonPath, RefusesWhatItDoesNotKnow) {
  for (const char* path : {"", "rows", ".rows", "$rows", "$.", "$..n", "$[", "$[]", "$[0", "$['a",
                           "$[?@.n>1]", "$[0:2]", "$[0,1]", "$.a b", "$[99999999999999999999]"}) {
    const auto found = select_json(Json::parse(kDocument), path);
    ASSERT_FALSE(found) << path;
    EXPECT_EQ(found.error().code, ErrorCode::InvalidArgument) << path;
    EXPECT_THAT(found.error().message, HasSubstr("Known are $.name")) << path;
  }
}

TEST(JsonPath, KeepsItsMessagesShort) {
  EXPECT_LT(at("$." + std::string(100'000, 'x')).size(), 500U);
  EXPECT_LT(at("$[?" + std::string(100'000, 'x')).size(), 500U);
  Json wide;
  for (int i = 0; i < 1000; ++i) wide[std::string(200, 'k') + std::to_string(i)] = i;
  EXPECT_LT(select_json(wide, "$.x").error().message.size(), 3000U);
}

}  // namespace
}  // namespace ba::files
