// SPDX-License-Identifier: Apache-2.0
#include "worker/cli/program/table.hpp"

#include <gtest/gtest.h>

#include <sstream>

#include "worker/cli/program/age_text.hpp"

namespace ba {
namespace {

TEST(Table, ColumnsAreAsWideAsTheirLettersAndLinesEndWithoutBlanks) {
  std::ostringstream out;
  std::ostringstream err;
  Terminal terminal(out, err, {});
  Table table({"JOB", "STATE"});
  table.add({"Grüße", "ready"});
  table.add({"a\x1b", ""});
  table.write(terminal);
  EXPECT_EQ(out.str(), "JOB    STATE\nGrüße  ready\na\\x1b\n");
}

TEST(AgeText, IsAWholeNumberAndAUnit) {
  EXPECT_EQ(parse_age("90s"), Milliseconds(90'000));
  EXPECT_EQ(parse_age("0m"), Milliseconds(0));
  EXPECT_EQ(parse_age("12h"), Milliseconds(43'200'000));
  EXPECT_EQ(parse_age("36525d"), Milliseconds(36525LL * 86'400'000));
  for (const char* wrong :
       {"", "s", "5", "-1s", "+1s", "1.5h", "1 h", "1w", "36526d", "99999999999999999999d"})
    EXPECT_FALSE(parse_age(wrong)) << wrong;
}

}  // namespace
}  // namespace ba
