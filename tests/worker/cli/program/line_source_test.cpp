// SPDX-License-Identifier: Apache-2.0
#include "worker/cli/program/line_source.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <string>

namespace ba {
namespace {

/// A pipe: what is written into it is read again.
class LineSourceTest : public ::testing::Test {
 protected:
  LineSourceTest() { EXPECT_EQ(::pipe(ends_.data()), 0); }
  ~LineSourceTest() override {
    ::close(ends_[0]);
    end();
  }

  void write(const std::string& text) {
    EXPECT_EQ(::write(ends_[1], text.data(), text.size()), static_cast<ssize_t>(text.size()));
  }
  void end() {
    if (ends_[1] >= 0) ::close(ends_[1]);
    ends_[1] = -1;
  }

  std::array<int, 2> ends_{};
  std::string line_;
};

TEST_F(LineSourceTest, SplitsAtLineFeedsOnly) {
  write(
      "a\xE2\x80\xA8"
      "b\r\n\nlast");
  end();
  LineSource lines(ends_[0], 100);
  EXPECT_EQ(lines.next(line_), LineSource::Read::Line);
  EXPECT_EQ(line_,
            "a\xE2\x80\xA8"
            "b\r");
  EXPECT_EQ(lines.next(line_), LineSource::Read::Line);
  EXPECT_EQ(line_, "");
  EXPECT_EQ(lines.next(line_), LineSource::Read::Line);
  EXPECT_EQ(line_, "last");
  EXPECT_EQ(lines.next(line_), LineSource::Read::End);
}

TEST_F(LineSourceTest, GivesALineBeforeTheNextOneComes) {
  LineSource lines(ends_[0], 100);
  for (const char* line : {"one\n", "two\n"}) {
    write(line);
    EXPECT_EQ(lines.next(line_), LineSource::Read::Line);
    EXPECT_EQ(line_ + "\n", line);
  }
}

TEST_F(LineSourceTest, PassesOverALineThatIsTooLong) {
  write("12345\n1234\n" + std::string(9, 'x'));
  end();
  LineSource lines(ends_[0], 4);
  EXPECT_EQ(lines.next(line_), LineSource::Read::TooLong);
  EXPECT_EQ(lines.next(line_), LineSource::Read::Line);
  EXPECT_EQ(line_, "1234");
  EXPECT_EQ(lines.next(line_), LineSource::Read::TooLong);
  EXPECT_EQ(lines.next(line_), LineSource::Read::End);
}

TEST(LineSource, SaysThatReadingFailed) {
  LineSource lines(-1, 4);
  std::string line;
  EXPECT_EQ(lines.next(line), LineSource::Read::Failed);
}

}  // namespace
}  // namespace ba
