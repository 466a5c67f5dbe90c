// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fcntl.h>
#include <pty.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <system_error>
#include <thread>

#include "worker/observe/log_line.hpp"
#include "worker/observe/structured_log.hpp"

namespace ba::observe {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

const Redaction kNone{{}};

std::string json_of(std::string_view text, std::initializer_list<LogField> fields,
                    const Redaction& redaction = kNone) {
  return json_line({WallTime{}, LogLevel::Info, text, fields}, {}, redaction);
}

TEST(JsonLine, HoldsTextFieldsAndTags) {
  const std::string line = json_line({WallTime{},
                                      LogLevel::Warning,
                                      "slow",
                                      {{"job", "a"}, {"round", 2}, {"ok", true}, {"s", 0.5}}},
                                     {{"service", "x"}}, kNone);
  const auto json = nlohmann::json::parse(line);
  EXPECT_EQ(json["time"], "1970-01-01T00:00:00.000000Z");
  EXPECT_EQ(json["level"], "warning");
  EXPECT_EQ(json["msg"], "slow");
  EXPECT_EQ(json["service"], "x");
  EXPECT_EQ(json["job"], "a");
  EXPECT_EQ(json["round"], 2);
  EXPECT_EQ(json["ok"], true);
  EXPECT_EQ(json["s"], 0.5);
}

TEST(JsonLine, MasksSecretsInTagsToo) {
  const std::string line =
      json_line({WallTime{}, LogLevel::Info, "up", {}},
                {{"region", "eu-hunter2hunter2"}, {"zone", "b"}}, Redaction({"hunter2hunter2"}));
  EXPECT_EQ(line.find("hunter2"), std::string::npos) << line;
  EXPECT_EQ(nlohmann::json::parse(line)["zone"], "b");
}

TEST(JsonLine, IsValidJsonWhateverTheBytes) {
  std::string all;
  for (int byte = 0; byte < 256; ++byte) all += static_cast<char>(byte);
  const std::string cases[] = {
      all,       "\xED\xA0\x80", "\xF4\x90\x80\x80",           "\xC0\xAF",   "a\xE2\x82",
      "\"},{\"", "\\",           std::string(100'000, '\xff'), "ü 漢 🙂"};
  for (const std::string& text : cases) {
    const std::string line = json_of(text, {{text, text}});
    EXPECT_TRUE(nlohmann::json::accept(line)) << line.substr(0, 200);
    EXPECT_EQ(line.find('\n'), std::string::npos);
  }
}

TEST(JsonLine, NumbersThatAreNoneBecomeNull) {
  const auto json =
      nlohmann::json::parse(json_of("x", {{"a", std::nan("")}, {"b", HUGE_VAL}, {"c", -1}}));
  EXPECT_TRUE(json["a"].is_null());
  EXPECT_TRUE(json["b"].is_null());
  EXPECT_EQ(json["c"], -1);
}

TEST(JsonLine, CutsLongValues) {
  EXPECT_LT(json_of("x", {{"v", std::string(1 << 20, 'a')}}).size(), 10'000U);
}

TEST(TextLine, ReadsWellAndCanNotBeForged) {
  const std::string line =
      text_line({WallTime{}, LogLevel::Info, "took job", {{"job", "a"}, {"why", "x\ny \x1b[2J"}}},
                kNone, false);
  EXPECT_EQ(line, "1970-01-01T00:00:00.000Z INFO  took job  job=a why=\"x\\ny \\u001b[2J\"");
  EXPECT_THAT(json_of("x", {{"v", "a\u009b2J\x9b"}}), HasSubstr("\"a\\u009b2J\uFFFD\""));
}

class LogFileTest : public ::testing::Test {
 protected:
  LogFileTest()
      : file_(std::filesystem::temp_directory_path() /
              ("ba-log-" + std::to_string(getpid()) + ".log")) {
    std::filesystem::remove(file_);
  }
  ~LogFileTest() override { std::filesystem::remove(file_); }

  LogSettings settings() const {
    LogSettings settings;
    settings.to_stderr = false;
    settings.file = file_;
    return settings;
  }
  std::vector<std::string> lines() const {
    std::vector<std::string> out;
    std::ifstream in(file_);
    for (std::string line; std::getline(in, line);) out.push_back(line);
    return out;
  }

  const std::filesystem::path file_;
};

TEST_F(LogFileTest, WritesEveryLineWholeFromSeveralThreads) {
  {
    auto log = StructuredLog::create(settings());
    ASSERT_TRUE(log);
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t)
      threads.emplace_back([&log, t] {
        for (int i = 0; i < 500; ++i) (*log)->info("line", {{"thread", t}, {"i", i}});
      });
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ((*log)->dropped(), 0);
  }
  const auto all = lines();
  EXPECT_EQ(all.size(), 2000U);
  for (const std::string& line : all) EXPECT_TRUE(nlohmann::json::accept(line)) << line;
}

TEST_F(LogFileTest, HasWrittenWhatWasQueuedOnceItIsFinished) {
  auto log = StructuredLog::create(settings());
  ASSERT_TRUE(log);
  for (int i = 0; i < 500; ++i) (*log)->info("line", {{"i", i}});
  (*log)->finish();
  EXPECT_EQ(lines().size(), 500U);
}

TEST_F(LogFileTest, LeavesOutWhatIsBelowTheLevel) {
  {
    LogSettings wanted = settings();
    wanted.level = LogLevel::Warning;
    auto log = StructuredLog::create(wanted);
    ASSERT_TRUE(log);
    EXPECT_FALSE((*log)->enabled(LogLevel::Info));
    (*log)->info("no");
    (*log)->warning("yes");
    (*log)->set_level(LogLevel::Debug);
    (*log)->debug("yes");
  }
  EXPECT_EQ(lines().size(), 2U);
}

TEST_F(LogFileTest, AFileThatWasMovedAwayIsMadeAnew) {
  const std::string moved = file_.string() + ".1";
  {
    auto log = StructuredLog::create(settings());
    ASSERT_TRUE(log);
    (*log)->info("before");
    const auto give_up = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (lines().empty() && std::chrono::steady_clock::now() < give_up)
      std::this_thread::yield();  // the log writes on a thread of its own
    std::filesystem::rename(file_, moved);
    (*log)->reopen();
    (*log)->info("after");
  }
  const auto all = lines();
  ASSERT_EQ(all.size(), 2U);
  EXPECT_THAT(all[0], HasSubstr("the log file was reopened"));
  EXPECT_THAT(all[1], HasSubstr("after"));
  EXPECT_TRUE(std::filesystem::remove(moved));
}

/// A terminal in place of standard error, for the length of a test.
class TerminalAsStderr {
 public:
  TerminalAsStderr() : saved_(::dup(STDERR_FILENO)) {
    if (::openpty(&master_, &slave_, nullptr, nullptr, nullptr) != 0)
      throw std::system_error(errno, std::generic_category(), "openpty");
    ::fcntl(master_, F_SETFL, O_NONBLOCK);  // a test that reads too early must not hang
    ::dup2(slave_, STDERR_FILENO);
  }
  ~TerminalAsStderr() {
    ::dup2(saved_, STDERR_FILENO);
    for (const int descriptor : {saved_, master_, slave_}) ::close(descriptor);
  }
  std::string shown() const {
    char bytes[4096];
    const ssize_t count = ::read(master_, bytes, sizeof bytes);
    return std::string(bytes, count > 0 ? static_cast<std::size_t>(count) : 0);
  }

 private:
  int saved_;
  int master_ = -1;
  int slave_ = -1;
};

TEST_F(LogFileTest, OnlyATerminalGetsColours) {
  LogSettings wanted = settings();
  wanted.json = false;
  wanted.to_stderr = true;
  const TerminalAsStderr terminal;
  {
    auto log = StructuredLog::create(wanted);
    ASSERT_TRUE(log);
    (*log)->warning("mind \x1b[31m this");
  }
  EXPECT_THAT(terminal.shown(), HasSubstr("\x1b[33mWARN \x1b[0m mind \\u001b[31m this"));
  ASSERT_EQ(lines().size(), 1U);
  EXPECT_THAT(lines()[0], HasSubstr("Z WARN  mind \\u001b[31m this"));
}

TEST_F(LogFileTest, AFullDiskCostsLinesAndNothingElse) {
  LogSettings wanted = settings();
  wanted.file = "/dev/full";
  auto log = StructuredLog::create(wanted);
  ASSERT_TRUE(log);
  for (int i = 0; i < 100; ++i) (*log)->info("line");
  const auto give_up = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while ((*log)->dropped() < 100 && std::chrono::steady_clock::now() < give_up)
    std::this_thread::yield();
  EXPECT_EQ((*log)->dropped(), 100);
}

TEST_F(LogFileTest, AFileThatCanNotBeOpenedIsAnError) {
  LogSettings wanted = settings();
  wanted.file = "/proc/none/x.log";
  const auto log = StructuredLog::create(wanted);
  ASSERT_FALSE(log);
  EXPECT_THAT(log.error().message, HasSubstr("/proc/none/x.log"));
}

TEST_F(LogFileTest, APipeThatNobodyReadsIsAnErrorAndNotWaitedFor) {
  LogSettings wanted = settings();
  wanted.file = testing::TempDir() + "ba-log-pipe-" + std::to_string(getpid());
  ASSERT_EQ(mkfifo(wanted.file.c_str(), 0600), 0);
  EXPECT_FALSE(StructuredLog::create(wanted));
  unlink(wanted.file.c_str());
}

}  // namespace
}  // namespace ba::observe
