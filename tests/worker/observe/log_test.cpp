// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <unistd.h>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <thread>

#include "worker/observe/log_line.hpp"
#include "worker/observe/structured_log.hpp"

namespace ba {
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
}

TEST(Redaction, MasksKnownSecretsInTextAndFields) {
  const Redaction redaction({"topsecret", "short", "topsecretlonger"});
  const std::string line =
      json_of("failed with topsecret", {{"url", "x?k=topsecretlonger"}, {"w", "short"}}, redaction);
  EXPECT_THAT(line, Not(HasSubstr("topsecret")));
  EXPECT_THAT(line, Not(HasSubstr("longer")));
  EXPECT_THAT(line, HasSubstr("\"w\":\"short\""));  // too short to be told from a word
}

TEST(Redaction, MasksWhatLooksLikeASecret) {
  const Redaction none{{}};
  EXPECT_EQ(none.clean("postgresql://u:hunter2@h/d failed"), "postgresql://u:***@h/d failed");
  EXPECT_EQ(none.clean("Authorization: Bearer abcdefgh12345"), "Authorization: Bearer ***");
  EXPECT_EQ(none.clean("key sk-ant-api03-abcdefgh"), "key sk-***");
  EXPECT_EQ(none.clean("host=h password=hunter2 user=u"), "host=h password=*** user=u");
  EXPECT_EQ(none.clean("password='a b' x"), "password=*** x");
  EXPECT_EQ(none.clean("password='open"), "password=***");
  EXPECT_EQ(none.clean("http://h/a@b:c and task-abcdefghij"), "http://h/a@b:c and task-abcdefghij");
}

TEST(Redaction, MasksFieldsByName) {
  const std::string line = json_of("x", {{"api_key", "v1"},
                                         {"db_password", "v2"},
                                         {"Authorization", "v3"},
                                         {"access_token", "v4"},
                                         {"input_tokens", 5},
                                         {"tokens", "v6"}});
  for (const char* value : {"v1", "v2", "v3", "v4"}) EXPECT_THAT(line, Not(HasSubstr(value)));
  EXPECT_THAT(line, HasSubstr("v6"));
  EXPECT_THAT(line, HasSubstr("\"input_tokens\":5"));
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
    EXPECT_EQ((*log)->dropped(), 0U);
  }
  const auto all = lines();
  EXPECT_EQ(all.size(), 2000U);
  for (const std::string& line : all) EXPECT_TRUE(nlohmann::json::accept(line)) << line;
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

TEST_F(LogFileTest, AFileThatCanNotBeOpenedIsAnError) {
  LogSettings wanted = settings();
  wanted.file = "/proc/none/x.log";
  const auto log = StructuredLog::create(wanted);
  ASSERT_FALSE(log);
  EXPECT_THAT(log.error().message, HasSubstr("/proc/none/x.log"));
}

}  // namespace
}  // namespace ba
