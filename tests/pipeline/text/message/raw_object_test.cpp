// SPDX-License-Identifier: Apache-2.0
#include "pipeline/text/message/raw_object.hpp"

#include <gtest/gtest.h>

namespace ba {
namespace {

RawObject object(std::string_view json) { return RawObject(JsonView::of_proven(json)); }

TEST(RawObject, LeavesWhatIsNotTouchedAsItWas) {
  RawObject changed = object(R"({ "a" : 1.0, "b\u0020":[ 1 ], "c":{"d": "\u00e9"} })");
  changed.set("a", "2");
  EXPECT_EQ(changed.json(), R"({"a":2,"b\u0020":[ 1 ],"c":{"d": "\u00e9"}})");
}

TEST(RawObject, AddsRemovesAndRenames) {
  RawObject changed = object(R"({"a":1,"b":2})");
  changed.set_text("c", "x\"y");
  changed.erase("a");
  changed.rename("b", "d");
  changed.rename("none", "e");
  changed.rename("c", "d");  // there is one
  EXPECT_EQ(changed.json(), R"({"d":2,"c":"x\"y"})");
}

TEST(RawObject, TheLastOfRepeatedMembersCounts) {
  RawObject changed = object(R"({"a":1,"a":2})");
  EXPECT_EQ(changed["a"].raw(), "2");
  changed.set("a", "3");
  EXPECT_EQ(JsonView::of_proven(changed.json())["a"].raw(), "3");
  changed.erase("a");
  EXPECT_TRUE(changed.empty());
}

TEST(RawObject, IsEmptyOfAnythingElse) {
  EXPECT_TRUE(object("[1]").empty());
  EXPECT_TRUE(RawObject(JsonView()).empty());
}

}  // namespace
}  // namespace ba
