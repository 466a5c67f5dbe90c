// SPDX-License-Identifier: Apache-2.0
#include "worker/cli/program/line_id.hpp"

#include <gtest/gtest.h>

namespace ba {
namespace {

TEST(LineId, IsAsItWasWritten) {
  EXPECT_EQ(id_of_line(R"({"a":{"id":1},"id":12345678901234567890123})"),
            "12345678901234567890123");
  EXPECT_EQ(id_of_line("{\"id\" : {\"n\": 1.50} }"), "{\"n\": 1.50}");
  EXPECT_EQ(id_of_line("\xef\xbb\xbf{\"id\":\"x\"}"), "\"x\"");
}

TEST(LineId, IsNullWhereThereIsNone) {
  EXPECT_EQ(id_of_line("{}"), "null");
  EXPECT_EQ(id_of_line("[1]"), "null");
  EXPECT_EQ(id_of_line("7"), "null");
}

TEST(LineId, StandsBeforeTheAnswersMembers) {
  EXPECT_EQ(with_id("1e2", R"({"count":5})"), R"({"id":1e2,"count":5})");
}

}  // namespace
}  // namespace ba
