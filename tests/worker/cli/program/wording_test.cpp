// SPDX-License-Identifier: Apache-2.0
#include "worker/cli/program/wording.hpp"

#include <gtest/gtest.h>
#include <sstream>

#include "worker/cli/program/command_options.hpp"

namespace ba::cli {
namespace {

TEST(Wording, NumbersReadWell) {
  EXPECT_EQ(thousands(0), "0");
  EXPECT_EQ(thousands(999), "999");
  EXPECT_EQ(thousands(1234567), "1,234,567");
  EXPECT_EQ(thousands(-1000), "-1,000");
  EXPECT_EQ(counted(1, "round"), "1 round");
  EXPECT_EQ(counted(0, "round"), "0 rounds");
  EXPECT_EQ(dollars_text(1200), "$0.0012");
  EXPECT_EQ(dollars_text(1'250'000), "$1.25");
  EXPECT_EQ(cost_text(0, false), "cost not known");
  EXPECT_EQ(cost_text(1200, false), "at least $0.0012");
}

TEST(Wording, DurationsReadWell) {
  EXPECT_EQ(seconds_text(Milliseconds(40)), "0.04 s");
  EXPECT_EQ(seconds_text(Milliseconds(3210)), "3.2 s");
  EXPECT_EQ(seconds_text(std::chrono::seconds(192)), "3 min 12 s");
  EXPECT_EQ(seconds_text(std::chrono::minutes(125)), "2 h 5 min");
}

TEST(Wording, ShortensByLettersOnOneLine) {
  EXPECT_EQ(shortened("a\n b\t c", 10), "a b c");
  EXPECT_EQ(shortened("漢字漢字", 3), "漢字漢…");
  EXPECT_EQ(shortened("abc", 3), "abc");
  EXPECT_EQ(shortened("abc d", 4), "abc…");
  EXPECT_EQ(shortened("  ", 4), "");
}

TEST(Printable, LeavesNothingThatSteersATerminal) {
  EXPECT_EQ(printable("a\x1b[2Jb\r\x07\x7f"), "a\\x1b[2Jb\\x0d\\x07\\x7f");
  EXPECT_EQ(printable("line\n\ttab ü漢🙂"), "line\n\ttab ü漢🙂");
  EXPECT_EQ(printable("\xc2\x9b"
                      "2J"),
            "\\x9b2J");
  EXPECT_EQ(printable("\x9b"
                      "2J"),
            "\\x9b2J");  // no UTF-8 at all
  EXPECT_EQ(printable("pay \u202eeciwt"), "pay \\xe2\\x80\\xaeeciwt");
}

TEST(Terminal, ColoursOnlyWhereTheyAreWanted) {
  std::ostringstream out;
  std::ostringstream err;
  EXPECT_EQ(Terminal(out, err, {false, false, true}).styled(Style::Red, "x"), "x");
  EXPECT_EQ(Terminal(out, err, {true, true, false}).styled(Style::Red, "x"), "x");
  EXPECT_NE(Terminal(out, err, {true, true, true}).styled(Style::Red, "x"), "x");
}

TEST(Terminal, AMessageWipesTheLiveLine) {
  std::ostringstream out;
  std::ostringstream err;
  Terminal terminal(out, err, {true, true, false});
  terminal.live("busy");
  terminal.message("done");
  EXPECT_EQ(err.str(), "\r\x1b[2K\x1b[?7lbusy\x1b[?7h\r\x1b[2Kdone\n");
  std::ostringstream quiet;
  Terminal(out, quiet, {false, false, false}).live("busy");
  EXPECT_EQ(quiet.str(), "");
}

TEST(ExitCode, FollowsTheCause) {
  Error error;
  error.code = ErrorCode::Unavailable;
  EXPECT_EQ(exit_code_of(error), 69);
  error.code = ErrorCode::Timeout;
  EXPECT_EQ(exit_code_of(error), 75);
  error.code = ErrorCode::Authentication;
  EXPECT_EQ(exit_code_of(error), 78);
  EXPECT_EQ(exit_code_of_start(error), 78);
  error.code = ErrorCode::InvalidArgument;
  EXPECT_EQ(exit_code_of(error), 1);
  EXPECT_EQ(exit_code_of_start(error), 78);
  error.code = ErrorCode::Conflict;  // a schema that isn't migrated
  EXPECT_EQ(exit_code_of(error), 1);
  EXPECT_EQ(exit_code_of_start(error), 78);
  error.detail = kConfigurationDetail;
  EXPECT_EQ(exit_code_of(error), 78);
}

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

}  // namespace ba::cli
