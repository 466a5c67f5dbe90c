// SPDX-License-Identifier: Apache-2.0
#include "worker/cli/program/answer_lines.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>
#include <array>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "worker/cli/program/terminal.hpp"

namespace ba::cli {
namespace {

class AnswerLines : public ::testing::Test {
 protected:
  ~AnswerLines() override { std::filesystem::remove(file_); }

  /// Answers each line with "<line>"; a blank one holds nothing, and "bad" is no good.
  AnsweredLines answer(const std::string& text) {
    std::ofstream(file_) << text;
    LineAnswers answers;
    answers.of_line = [](std::string_view line) -> LineAnswer {
      if (line.empty()) return {};
      return {"<" + std::string(line) + ">", line != "bad"};
    };
    answers.of_too_long = [](const std::string& why) { return LineAnswer{why, false}; };
    return answer_lines(InputFile(file_), answers, terminal_);
  }

  const std::string file_ =
      std::filesystem::temp_directory_path() / ("ba-answer-lines-" + std::to_string(getpid()));
  std::ostringstream out_;
  std::ostringstream err_;
  Terminal terminal_{out_, err_, {}};
};

TEST_F(AnswerLines, AnswersEachInOrderAndPassesOverWhatHoldsNothing) {
  const AnsweredLines done = answer("a\n\nb");
  EXPECT_EQ(out_.str(), "<a>\n<b>\n");
  EXPECT_EQ(done.exit_code, kExitOk);
  EXPECT_TRUE(done.whole);
  EXPECT_EQ(done.answered, 2U);
  EXPECT_EQ(done.not_good, 0U);
}

TEST_F(AnswerLines, GoesOnAfterABadLineAndFailsAtTheEnd) {
  const AnsweredLines done = answer("bad\na\n");
  EXPECT_EQ(out_.str(), "<bad>\n<a>\n");
  EXPECT_EQ(done.exit_code, kExitFailed);
  EXPECT_TRUE(done.whole);
  EXPECT_EQ(done.answered, 2U);
  EXPECT_EQ(done.not_good, 1U);
}

TEST_F(AnswerLines, EndWhereNothingCanBeWritten) {
  out_.setstate(std::ios::badbit);
  const AnsweredLines done = answer("a\nb\n");
  EXPECT_EQ(done.exit_code, kExitFailed);
  EXPECT_FALSE(done.whole);
  EXPECT_EQ(done.answered, 1U);
}

TEST_F(AnswerLines, SayWhyAFileCanNotBeRead) {
  const AnsweredLines done = answer_lines(InputFile(file_ + ".none"), {}, terminal_);
  EXPECT_EQ(done.exit_code, kExitFailed);
  EXPECT_FALSE(done.whole);
  EXPECT_THAT(err_.str(), ::testing::HasSubstr("No such file"));
}

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

}  // namespace ba::cli
