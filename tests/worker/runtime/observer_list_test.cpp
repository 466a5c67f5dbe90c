// SPDX-License-Identifier: Apache-2.0
#include "worker/runtime/observer_list.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "worker/driver/silent_observer.hpp"

namespace ba::runtime {
namespace {

using ::testing::ElementsAre;
using ::testing::Ref;
using ::testing::StrictMock;

class MockedObserver : public driver::RunObserver {
 public:
  MOCK_METHOD(void, taken_in, (const driver::IntakeSummary&), (override));
  MOCK_METHOD(void, job_started, (const ConversationState&), (override));
  MOCK_METHOD(void, history_compressed, (const ConversationState&, const CompressionEvent&),
              (override));
  MOCK_METHOD(void, context_counted,
              (const ConversationState&, const ExactCountRow&, const ExactCount&), (override));
  MOCK_METHOD(void, summary_ended,
              (const ConversationState&, const std::string&, const SummaryRow&), (override));
  MOCK_METHOD(void, summary_refused, (const ConversationState&, const std::string&), (override));
  MOCK_METHOD(void, model_asked, (const ConversationState&), (override));
  MOCK_METHOD(void, model_answered, (const ConversationState&, const ModelReply&), (override));
  MOCK_METHOD(void, model_failed, (const ConversationState&, const ModelFailure&), (override));
  MOCK_METHOD(void, model_calls_lost, (const ConversationState&, int), (override));
  MOCK_METHOD(void, tool_started, (const ConversationState&, const CallState&), (override));
  MOCK_METHOD(void, tool_finished, (const ConversationState&, const CallState&, const ToolResult&),
              (override));
  MOCK_METHOD(void, committed, (const ConversationState&, const Delta&), (override));
  MOCK_METHOD(void, job_finished, (const ConversationState&, const JobResult&), (override));
  MOCK_METHOD(void, job_handed_back, (const ConversationState&), (override));
  MOCK_METHOD(void, job_waits, (const ConversationState&), (override));
  MOCK_METHOD(void, ledger_failed, (const Error&, const driver::LedgerAttempt&), (override));
};

class NotingObserver final : public driver::SilentObserver {
 public:
  NotingObserver(std::vector<std::string>& notes, std::string name)
      : notes_(notes), name_(std::move(name)) {}
  void job_started(const ConversationState&) override { notes_.push_back(name_); }

 private:
  std::vector<std::string>& notes_;
  std::string name_;
};

/// What a driver tells, one of each.
struct News {
  ConversationState state;
  driver::IntakeSummary intake;
  CompressionEvent compression;
  ExactCountRow count_row;
  ExactCount count;
  std::string text = "text";
  SummaryRow summary;
  ModelReply reply;
  ModelFailure failure;
  CallState call;
  ToolResult result;
  Delta delta;
  JobResult job;
  Error error;
  driver::LedgerAttempt attempt;
};

void expect_all(MockedObserver& observer, const News& news) {
  EXPECT_CALL(observer, taken_in(Ref(news.intake)));
  EXPECT_CALL(observer, job_started(Ref(news.state)));
  EXPECT_CALL(observer, history_compressed(Ref(news.state), Ref(news.compression)));
  EXPECT_CALL(observer, context_counted(Ref(news.state), Ref(news.count_row), Ref(news.count)));
  EXPECT_CALL(observer, summary_ended(Ref(news.state), Ref(news.text), Ref(news.summary)));
  EXPECT_CALL(observer, summary_refused(Ref(news.state), Ref(news.text)));
  EXPECT_CALL(observer, model_asked(Ref(news.state)));
  EXPECT_CALL(observer, model_answered(Ref(news.state), Ref(news.reply)));
  EXPECT_CALL(observer, model_failed(Ref(news.state), Ref(news.failure)));
  EXPECT_CALL(observer, model_calls_lost(Ref(news.state), 3));
  EXPECT_CALL(observer, tool_started(Ref(news.state), Ref(news.call)));
  EXPECT_CALL(observer, tool_finished(Ref(news.state), Ref(news.call), Ref(news.result)));
  EXPECT_CALL(observer, committed(Ref(news.state), Ref(news.delta)));
  EXPECT_CALL(observer, job_finished(Ref(news.state), Ref(news.job)));
  EXPECT_CALL(observer, job_handed_back(Ref(news.state)));
  EXPECT_CALL(observer, job_waits(Ref(news.state)));
  EXPECT_CALL(observer, ledger_failed(Ref(news.error), Ref(news.attempt)));
}

void tell_all(driver::RunObserver& observer, const News& news) {
  observer.taken_in(news.intake);
  observer.job_started(news.state);
  observer.history_compressed(news.state, news.compression);
  observer.context_counted(news.state, news.count_row, news.count);
  observer.summary_ended(news.state, news.text, news.summary);
  observer.summary_refused(news.state, news.text);
  observer.model_asked(news.state);
  observer.model_answered(news.state, news.reply);
  observer.model_failed(news.state, news.failure);
  observer.model_calls_lost(news.state, 3);
  observer.tool_started(news.state, news.call);
  observer.tool_finished(news.state, news.call, news.result);
  observer.committed(news.state, news.delta);
  observer.job_finished(news.state, news.job);
  observer.job_handed_back(news.state);
  observer.job_waits(news.state);
  observer.ledger_failed(news.error, news.attempt);
}

TEST(ObserverList, EachOfItHearsEverythingAsItWasTold) {
  const News news;
  StrictMock<MockedObserver> first;
  StrictMock<MockedObserver> second;
  expect_all(first, news);
  expect_all(second, news);
  ObserverList list;
  list.add(first);
  list.add(second);
  tell_all(list.face(), news);
}

TEST(ObserverList, TellsThemInTheOrderOfTheList) {
  std::vector<std::string> notes;
  NotingObserver first(notes, "first");
  NotingObserver second(notes, "second");
  ObserverList list;
  list.add(first);
  list.add(second);
  list.face().job_started({});
  EXPECT_THAT(notes, ElementsAre("first", "second"));
}

TEST(ObserverList, OneAloneIsToldWithoutTheList) {
  driver::SilentObserver alone;
  ObserverList list;
  EXPECT_EQ(&list.face(), &list);
  list.add(alone);
  EXPECT_EQ(&list.face(), &alone);
}

}  // namespace
}  // namespace ba::runtime
