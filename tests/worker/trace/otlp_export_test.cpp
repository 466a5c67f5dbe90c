// SPDX-License-Identifier: Apache-2.0
// The exporter under virtual time, against a scripted collector.
#include "worker/trace/otlp_export.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/worker/http/fake_http.hpp"
#include "worker/trace/otlp_request.hpp"

namespace ba::trace {
namespace {

using nlohmann::json;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

class Warnings final : public Log {
 public:
  bool enabled(LogLevel) const override { return true; }
  void write(LogLevel level, std::string_view, std::initializer_list<LogField> fields) override {
    if (level != LogLevel::Warning) return;
    std::string all;
    for (const LogField& field : fields)
      if (const auto* value = std::get_if<std::string_view>(&field.value))
        all += std::string(field.name) + "=" + std::string(*value) + " ";
    lines.push_back(all);
  }
  std::vector<std::string> lines;
};

class OtlpExportTest : public testing::Test {
 protected:
  OtlpExportTest() {
    config_.endpoint = "http://collector:4318/key-in-path";
    config_.compression = OtlpCompression::None;
    config_.batch_size = 3;
    auto endpoint = http_.open(otlp_endpoint(config_, kTracesPath));
    export_ = std::make_unique<OtlpExport>(config_, TraceResource{}, std::move(*endpoint), queue_,
                                           OtlpPorts{time_, time_, random_, log_});
    export_->start();
  }

  void add(int spans) {
    for (int i = 0; i < spans; ++i) {
      Span span;
      span.name = std::to_string(++made_);
      if (queue_.add(std::move(span)) == config_.batch_size) export_->wake();
    }
  }

  std::vector<std::string> names_of(const std::string& body) {
    std::vector<std::string> names;
    const json request = json::parse(body);
    for (const json& span : request.at("/resourceSpans/0/scopeSpans/0/spans"_json_pointer))
      names.push_back(span.at("name"));
    return names;
  }

  static http::FakeAnswer answer(int status, const std::string& body = "{}") {
    return {status, body};
  }
  static http::FakeAnswer no_answer() {
    http::FakeAnswer broken{0, "", {}, Error{}};
    broken.error->message = "connection refused";
    return broken;
  }

  VirtualExecutor time_;
  FixedRandom random_{0};
  Warnings log_;
  http::FakeHttp http_{time_};
  OtlpConfig config_;
  SpanQueue queue_{10};
  std::unique_ptr<OtlpExport> export_;
  int made_ = 0;
};

TEST_F(OtlpExportTest, SendsAFullBatchAtOnceAndWhatThereIsOnceASecond) {
  http_.answers = {answer(200), answer(200)};
  add(4);
  ASSERT_THAT(http_.posts, SizeIs(1));
  EXPECT_THAT(names_of(http_.posts[0].body), ElementsAre("1", "2", "3"));
  EXPECT_EQ(http_.posts[0].at, Milliseconds(0));
  time_.run_for(Milliseconds(999));
  EXPECT_THAT(http_.posts, SizeIs(1));
  time_.run_for(Milliseconds(100));
  ASSERT_THAT(http_.posts, SizeIs(2));
  EXPECT_THAT(names_of(http_.posts[1].body), ElementsAre("4"));
  EXPECT_EQ(queue_.counts().exported, 4);
  EXPECT_EQ(http_.configs[0].url, "http://collector:4318/key-in-path/v1/traces");
}

TEST_F(OtlpExportTest, ABacklogGoesOneRequestAfterTheOther) {
  http_.answers = {answer(200), answer(200), answer(200)};
  add(9);
  EXPECT_EQ(http_.under_way, 1);
  time_.run_for(Milliseconds(25));
  EXPECT_EQ(http_.under_way, 1);
  time_.run_for(Milliseconds(10));
  EXPECT_EQ(http_.under_way, 0);
  ASSERT_THAT(http_.posts, SizeIs(3));
  EXPECT_THAT(names_of(http_.posts[2].body), ElementsAre("7", "8", "9"));
}

TEST_F(OtlpExportTest, ABusyCollectorGetsTheSameBatchAgain) {
  http::FakeAnswer busy = answer(429);
  busy.headers = {{"retry-after", "7"}};
  http_.answers = {answer(503), no_answer(), busy, answer(200)};
  add(3);
  time_.run_for(Milliseconds(60'000));
  ASSERT_THAT(http_.posts, SizeIs(4));
  EXPECT_EQ(http_.posts[1].at - http_.posts[0].at, Milliseconds(1'010));
  EXPECT_EQ(http_.posts[2].at - http_.posts[1].at, Milliseconds(2'010));
  EXPECT_EQ(http_.posts[3].at - http_.posts[2].at, Milliseconds(7'010)) << "as it asked";
  EXPECT_EQ(http_.posts[3].body, http_.posts[0].body);
  EXPECT_EQ(queue_.counts().exported, 3);
}

TEST_F(OtlpExportTest, ABatchThatNobodyTakesIsGivenUpAndSaidOnceAMinute) {
  for (int i = 0; i < 2 * OtlpExport::kTriesMax; ++i) http_.answers.push_back(no_answer());
  http_.answers.push_back(answer(200));
  add(6);
  time_.run_for(Milliseconds(40'000));
  EXPECT_EQ(queue_.counts().dropped_unreachable, 6);
  add(1);
  time_.run_for(Milliseconds(2'000));
  EXPECT_EQ(queue_.counts().exported, 1) << "the next ones go as ever";
  ASSERT_THAT(log_.lines, SizeIs(1));
  EXPECT_EQ(log_.lines[0], "endpoint=http://collector:4318 reason=connection refused ");
}

TEST_F(OtlpExportTest, WhatACollectorRefusesIsNotSentAgain) {
  http_.answers = {answer(400), answer(200, R"({"partialSuccess":{"rejectedSpans":"2"}})")};
  add(6);
  time_.run_for(Milliseconds(60'000));
  EXPECT_THAT(http_.posts, SizeIs(2));
  EXPECT_EQ(queue_.counts(), (SpanCounts{.exported = 1, .dropped_refused = 5}));
}

TEST_F(OtlpExportTest, WhileTheCollectorIsDownTheQueueFillsAndDrops) {
  http_.answers = {no_answer()};
  add(3);
  time_.run_for(Milliseconds(20));
  add(15);
  EXPECT_EQ(queue_.counts().dropped_full, 5);
  EXPECT_EQ(queue_.size(), 10U);
}

TEST_F(OtlpExportTest, DrainingSendsAllThereIs) {
  http_.answers = {answer(200), answer(200)};
  add(2);
  add(3);
  bool done = false;
  export_->drain(Milliseconds(5'000), [&done] { done = true; });
  time_.run_for(Milliseconds(100));
  EXPECT_TRUE(done);
  EXPECT_EQ(queue_.counts().exported, 5);
}

TEST_F(OtlpExportTest, DrainingWaitsForNoSecondTry) {
  http_.answers = {no_answer(), no_answer(), no_answer()};
  add(3);
  time_.run_for(Milliseconds(20));  // it waits to be tried again
  add(2);
  bool done = false;
  export_->drain(Milliseconds(5'000), [&done] { done = true; });
  time_.run_for(Milliseconds(100));
  EXPECT_TRUE(done);
  EXPECT_EQ(queue_.counts().dropped_unreachable, 5);
}

TEST_F(OtlpExportTest, DrainingHasAnEnd) {
  add(5);  // no answer ever comes
  bool done = false;
  export_->drain(Milliseconds(2'000), [&done] { done = true; });
  time_.run_for(Milliseconds(1'999));
  EXPECT_FALSE(done);
  time_.run_for(Milliseconds(1));
  EXPECT_TRUE(done);
  EXPECT_EQ(queue_.counts().dropped_at_end, 5);
  time_.run_for(Milliseconds(600'000));
  EXPECT_EQ(http_.under_way, 0);
}

}  // namespace
}  // namespace ba::trace
