// SPDX-License-Identifier: Apache-2.0
#include "worker/cli/program/answer_lines.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "worker/cli/program/exit_code.hpp"

namespace ba {
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

}  // namespace
}  // namespace ba
