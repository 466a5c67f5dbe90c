// SPDX-License-Identifier: Apache-2.0
#include "tests/scripted_model/http_answer.hpp"

#include <gtest/gtest.h>

namespace ba::scripted {
namespace {

ReplyBody three_events() { return {"aaaabbbbcccc", {4, 8, 12}}; }

std::string body_of(const Answer& answer) {
  return answer.bytes.substr(answer.bytes.find("\r\n\r\n") + 4);
}

TEST(Answer, AStreamSendsEachEventAsAChunk) {
  const Answer answer = streamed_answer(three_events(), "a: b\r\n", std::chrono::milliseconds(0));
  EXPECT_NE(answer.bytes.find("\r\na: b\r\n"), std::string::npos);
  EXPECT_EQ(body_of(answer), "4\r\naaaa\r\n4\r\nbbbb\r\n4\r\ncccc\r\n0\r\n\r\n");
  EXPECT_TRUE(answer.breaks.empty());
  EXPECT_EQ(answer.end, Answer::End::KeepAlive);
}

TEST(Answer, AStreamWithDelaysPausesAfterEachEvent) {
  const Answer answer = streamed_answer(three_events(), "", std::chrono::milliseconds(5));
  EXPECT_EQ(answer.breaks.size(), 3U);
  EXPECT_EQ(answer.pause.count(), 5);
}

TEST(Answer, ACutStreamHasNoEnd) {
  Fault fault;
  fault.cut_after_bytes = 6;
  const Answer answer = spoilt_answer(three_events(), "", fault, "");
  EXPECT_EQ(body_of(answer), "4\r\naaaa\r\n2\r\nbb\r\n");
  EXPECT_EQ(answer.end, Answer::End::Close);
}

TEST(Answer, ACutDocumentPromisedMore) {
  Fault fault;
  fault.cut_after_bytes = 3;
  const Answer answer = spoilt_answer({"{\"a\":1}", {}}, "", fault, "");
  EXPECT_NE(answer.bytes.find("Content-Length: 7\r\n"), std::string::npos);
  EXPECT_EQ(body_of(answer), "{\"a");
}

TEST(Answer, AStalledAnswerHangs) {
  Fault fault;
  fault.stall_after_bytes = 0;
  const Answer answer = spoilt_answer(three_events(), "", fault, "");
  EXPECT_EQ(body_of(answer), "");
  EXPECT_EQ(answer.end, Answer::End::Hang);
}

TEST(Answer, ChunksNeedNotFollowTheEvents) {
  Fault fault;
  fault.chunk_bytes = 5;
  const Answer answer = spoilt_answer(three_events(), "", fault, "");
  EXPECT_EQ(body_of(answer), "5\r\naaaab\r\n5\r\nbbbcc\r\n2\r\ncc\r\n0\r\n\r\n");
  EXPECT_EQ(answer.breaks.size(), 3U);
}

TEST(Answer, AnErrorEventEndsAStreamHalfWay) {
  Fault fault;
  fault.stream_error = "overloaded_error";
  const Answer answer = spoilt_answer(three_events(), "", fault, "EEE");
  EXPECT_EQ(body_of(answer), "4\r\naaaa\r\n3\r\nEEE\r\n0\r\n\r\n");
}

TEST(Answer, HangingAndClosingSendNothing) {
  Fault fault;
  fault.hang = true;
  EXPECT_TRUE(spoilt_answer(three_events(), "", fault, "").bytes.empty());
  EXPECT_EQ(spoilt_answer(three_events(), "", fault, "").end, Answer::End::Hang);
  fault = {};
  fault.close = true;
  EXPECT_EQ(spoilt_answer(three_events(), "", fault, "").end, Answer::End::Close);
}

}  // namespace
}  // namespace ba::scripted
