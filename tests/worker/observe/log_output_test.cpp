// SPDX-License-Identifier: Apache-2.0
#include "worker/observe/log_output.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <spdlog/details/log_msg.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <thread>

namespace ba::observe {
namespace {

using ::testing::HasSubstr;

/// A pipe whose ends are closed one by one.
class LogOutputTest : public ::testing::Test {
 protected:
  LogOutputTest() {
    std::signal(SIGPIPE, SIG_IGN);
    EXPECT_EQ(::pipe(ends_.data()), 0);
  }
  ~LogOutputTest() override {
    close_reader();
    ::close(ends_[1]);
  }

  void close_reader() {
    if (ends_[0] >= 0) ::close(ends_[0]);
    ends_[0] = -1;
  }

  /// Puts a new pipe in the place of the one whose reader is gone.
  void mend() {
    std::array<int, 2> fresh{};
    ASSERT_EQ(::pipe(fresh.data()), 0);
    ASSERT_EQ(::dup2(fresh[1], ends_[1]), ends_[1]);
    ::close(fresh[1]);
    ends_[0] = fresh[0];
  }

  std::string read_some() const {
    std::array<char, 65536> bytes{};
    const ssize_t size = ::read(ends_[0], bytes.data(), bytes.size());
    return {bytes.data(), static_cast<std::size_t>(std::max<ssize_t>(size, 0))};
  }

  std::array<int, 2> ends_{-1, -1};
  LogOutputState state_;
};

TEST_F(LogOutputTest, WritesWholeLinesLongerThanAPipeHolds) {
  LogOutput output("pipe", ends_[1], state_.closing);
  const std::string line(300'000, 'x');
  std::string all;
  std::thread reader([&] {
    while (all.size() < line.size() + 1) all += read_some();
  });
  EXPECT_TRUE(output.write(line));
  reader.join();
  EXPECT_EQ(all, line + "\n");
}

TEST_F(LogOutputTest, ABrokenPipeAndAClosedDescriptorAreErrorsOfTheLine) {
  close_reader();
  LogOutput broken("pipe", ends_[1], state_.closing);
  EXPECT_FALSE(broken.write("line"));
  EXPECT_EQ(broken.error(), "Broken pipe");
  LogOutput closed("stdout", 9999, state_.closing);
  EXPECT_FALSE(closed.write("line"));
  EXPECT_EQ(closed.error(), "Bad file descriptor");
}

TEST_F(LogOutputTest, AReaderThatStandsStillHoldsUpNoShutdown) {
  LogOutput output("pipe", ends_[1], state_.closing);
  state_.closing = true;
  const auto start = std::chrono::steady_clock::now();
  EXPECT_FALSE(output.write(std::string(1'000'000, 'x')));
  for (int i = 0; i < 1'000; ++i) EXPECT_FALSE(output.write("line"));
  // Each of the lines waiting by itself would take 1000 times as long.
  EXPECT_LT(std::chrono::steady_clock::now() - start, 100 * LogOutput::kPatience);
}

class LogSinkTest : public LogOutputTest {
 protected:
  LogSink make_sink() {
    return {LogOutput("pipe", ends_[1], state_.closing), state_,
            [](LogLevel, std::string_view text, std::initializer_list<LogField> fields) {
              const auto lines = std::get<std::int64_t>(fields.begin()->value);
              return std::string(text) + " " + std::to_string(lines);
            },
            [this] { return overrun_; }};
  }
  static void log(LogSink& sink, const char* line) {
    sink.log(spdlog::details::log_msg("", spdlog::level::info, line));
  }

  std::int64_t overrun_ = 0;
};

TEST_F(LogSinkTest, SaysOnceWhatWasLostWhenALineGetsThrough) {
  LogSink sink = make_sink();
  log(sink, "one");
  EXPECT_EQ(read_some(), "one\n");
  close_reader();
  for (const char* line : {"two", "three"}) log(sink, line);
  EXPECT_EQ(state_.lost, 2);
  mend();
  log(sink, "four");
  EXPECT_EQ(read_some(), "log lines were lost 2\nfour\n");
  log(sink, "five");
  EXPECT_EQ(read_some(), "five\n");
}

TEST_F(LogSinkTest, SaysWhatGaveWayInTheQueue) {
  LogSink sink = make_sink();
  overrun_ = 7;
  log(sink, "one");
  log(sink, "two");
  EXPECT_EQ(read_some(), "log lines were lost 7\none\ntwo\n");
}

}  // namespace
}  // namespace ba::observe
