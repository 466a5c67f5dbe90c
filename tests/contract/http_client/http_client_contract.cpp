// SPDX-License-Identifier: Apache-2.0
#include "tests/contract/http_client/http_client_contract.hpp"

#include <gmock/gmock.h>

#include <array>

namespace ba {

using testing::ElementsAre;

void NotingReceiver::on_head(http::HttpHead received) {
  ++heads;
  EXPECT_EQ(pieces + ends, 0) << "a head after what follows it";
  head = std::move(received);
  if (at_head) at_head();
}

http::HttpNext NotingReceiver::on_body(std::string_view piece) {
  ++pieces;
  EXPECT_EQ(heads, 1) << "a piece without a head";
  EXPECT_EQ(ends, 0) << "a piece after the end";
  EXPECT_FALSE(piece.empty());
  body += piece;
  const http::HttpNext answer = next;  // at_piece may take this away
  if (at_piece) at_piece();
  return answer;
}

void NotingReceiver::on_end(http::HttpEnd how) {
  ++ends;
  end = std::move(how);
  if (at_end) at_end();
}

std::unique_ptr<http::HttpCall> HttpClientContract::post(NotingReceiver& receiver,
                                                         const std::string& body,
                                                         SteadyTime deadline) {
  if (!endpoint_) {
    auto opened = rig_->client().open(config_);
    EXPECT_TRUE(opened) << opened.error().message;
    endpoint_ = std::move(*opened);
  }
  auto call = endpoint_->post({std::make_shared<const std::string>(body), 0, deadline}, receiver);
  EXPECT_FALSE(receiver.told()) << "from inside post()";
  return call;
}

void HttpClientContract::exchange(NotingReceiver& receiver, const std::string& body) {
  const auto call = post(receiver, body);
  ASSERT_TRUE(run_until([&] { return receiver.ends > 0; }));
  rig_->settle();
  ASSERT_EQ(receiver.ends, 1);
}

bool HttpClientContract::run_until_nothing_is_under_way() {
  return run_until([this] { return rig_->under_way() == 0; });
}

namespace {

TEST_P(HttpClientContract, TellsTheHeadTheBodyAndTheEndOnce) {
  rig_->serve({200, "hello", {{"x-a", "b"}}});
  NotingReceiver receiver;
  exchange(receiver, R"({"q":1})");
  EXPECT_THAT(rig_->requests(), ElementsAre(R"({"q":1})"));
  EXPECT_EQ(receiver.heads, 1);
  EXPECT_EQ(receiver.head.status, 200);
  EXPECT_EQ(receiver.head.header("x-a"), "b");
  EXPECT_EQ(receiver.head.header("x-b"), "");
  EXPECT_EQ(receiver.body, "hello");
  EXPECT_TRUE(receiver.end->result);
  EXPECT_TRUE(receiver.end->sent);
  EXPECT_FALSE(receiver.end->reused_connection);
}

TEST_P(HttpClientContract, AReplyWithoutABodyHasNoPiece) {
  rig_->serve({200, ""});
  NotingReceiver receiver;
  exchange(receiver);
  EXPECT_TRUE(receiver.end->result);
  EXPECT_EQ(receiver.heads, 1);
  EXPECT_EQ(receiver.pieces, 0);
}

TEST_P(HttpClientContract, AFailureStatusIsAReplyLikeAnyOther) {
  rig_->serve({429, "slow down", {{"retry-after", "3"}}});
  NotingReceiver receiver;
  exchange(receiver);
  EXPECT_TRUE(receiver.end->result);
  EXPECT_EQ(receiver.head.status, 429);
  EXPECT_EQ(receiver.head.header("retry-after"), "3");
  EXPECT_EQ(receiver.body, "slow down");
}

TEST_P(HttpClientContract, APieceIsToldBeforeTheReplyIsWhole) {
  rig_->serve({200, "abc", {}, ServedReply::Then::Rest});
  NotingReceiver receiver;
  const auto call = post(receiver);
  ASSERT_TRUE(run_until([&] { return receiver.body == "abc"; }));
  rig_->settle();
  EXPECT_EQ(receiver.ends, 0);
  EXPECT_EQ(rig_->under_way(), 1);
}

TEST_P(HttpClientContract, EndsWellOnceTheReceiverHasAllItNeeds) {
  for (const auto then : {ServedReply::Then::End, ServedReply::Then::Rest}) {
    rig_->serve({200, "abc", {}, then});
    NotingReceiver receiver;
    receiver.next = http::HttpNext::Complete;
    exchange(receiver);
    EXPECT_TRUE(receiver.end->result);
    EXPECT_TRUE(receiver.end->sent);
    EXPECT_EQ(receiver.pieces, 1);
  }
}

TEST_P(HttpClientContract, ACutAfterTheReceiverHasAllItNeedsChangesNothing) {
  rig_->serve({200, "abc", {}, ServedReply::Then::Cut});
  NotingReceiver receiver;
  receiver.next = http::HttpNext::Complete;
  exchange(receiver);
  EXPECT_TRUE(receiver.end->result);
}

TEST_P(HttpClientContract, AReceiverThatAbortsHearsThatItWasCancelled) {
  for (const auto then : {ServedReply::Then::End, ServedReply::Then::Rest}) {
    rig_->serve({200, "abc", {}, then});
    NotingReceiver receiver;
    receiver.next = http::HttpNext::Abort;
    exchange(receiver);
    ASSERT_FALSE(receiver.end->result);
    EXPECT_EQ(receiver.error().code, ErrorCode::Cancelled);
    EXPECT_EQ(receiver.error().retry, Retry::Never);
    EXPECT_TRUE(receiver.error().maybe_done);
    EXPECT_TRUE(receiver.end->sent);
    EXPECT_EQ(receiver.pieces, 1);
    EXPECT_TRUE(run_until_nothing_is_under_way());
  }
}

TEST_P(HttpClientContract, NobodyThereIsWorthAnotherTry) {
  rig_->close_server();
  NotingReceiver receiver;
  exchange(receiver);
  ASSERT_FALSE(receiver.end->result);
  EXPECT_EQ(receiver.error().code, ErrorCode::Unavailable);
  EXPECT_EQ(receiver.error().retry, Retry::Later);
  EXPECT_FALSE(receiver.error().maybe_done);
  EXPECT_FALSE(receiver.end->sent);
  EXPECT_EQ(receiver.heads, 0);
}

TEST_P(HttpClientContract, AReplyThatIsCutMayHaveBeenActedUpon) {
  rig_->serve({200, "abc", {}, ServedReply::Then::Cut});
  NotingReceiver receiver;
  exchange(receiver);
  EXPECT_EQ(receiver.body, "abc");
  ASSERT_FALSE(receiver.end->result);
  EXPECT_EQ(receiver.error().code, ErrorCode::Unavailable);
  EXPECT_EQ(receiver.error().retry, Retry::Later);
  EXPECT_TRUE(receiver.error().maybe_done);
  EXPECT_TRUE(receiver.end->sent);
}

TEST_P(HttpClientContract, ABodyOfTheLimitIsWhole) {
  config_.reply_bytes_max = 1000;
  rig_->serve({200, std::string(1000, 'x')});
  NotingReceiver receiver;
  exchange(receiver);
  EXPECT_TRUE(receiver.end->result);
  EXPECT_EQ(receiver.body.size(), 1000u);
}

TEST_P(HttpClientContract, ABodyBeyondTheLimitIsRefused) {
  config_.reply_bytes_max = 1000;
  rig_->serve({200, std::string(1001, 'x')});
  NotingReceiver receiver;
  exchange(receiver);
  ASSERT_FALSE(receiver.end->result);
  EXPECT_EQ(receiver.error().code, ErrorCode::LimitExceeded);
  EXPECT_EQ(receiver.error().retry, Retry::Never);
  EXPECT_TRUE(receiver.error().maybe_done);
  EXPECT_LE(receiver.body.size(), 1000u);
  EXPECT_TRUE(run_until_nothing_is_under_way());
}

TEST_P(HttpClientContract, TheDeadlineOfTheCallEndsIt) {
  for (const int status : {0, 200}) {
    rig_->serve({status, "abc", {}, ServedReply::Then::Rest});
    NotingReceiver receiver;
    const auto call = post(receiver, "{}", rig_->now() + Milliseconds(1000));
    ASSERT_TRUE(run_until([&] { return receiver.ends > 0; }));
    rig_->settle();
    ASSERT_EQ(receiver.ends, 1);
    ASSERT_FALSE(receiver.end->result);
    EXPECT_EQ(receiver.error().code, ErrorCode::Timeout);
    EXPECT_EQ(receiver.error().retry, Retry::Never);
    EXPECT_EQ(receiver.error().detail, "timeout deadline");
    EXPECT_TRUE(receiver.error().maybe_done);
    EXPECT_TRUE(run_until_nothing_is_under_way());
  }
}

TEST_P(HttpClientContract, AServerThatKeepsSilentIsWaitedForOnlySoLong) {
  config_.first_byte_timeout = config_.idle_timeout = Milliseconds(1000);
  for (const int status : {0, 200}) {
    rig_->serve({status, "abc", {}, ServedReply::Then::Rest});
    NotingReceiver receiver;
    exchange(receiver);
    ASSERT_FALSE(receiver.end->result);
    EXPECT_EQ(receiver.error().code, ErrorCode::Timeout);
    EXPECT_EQ(receiver.error().retry, Retry::Later);
    EXPECT_EQ(receiver.error().detail, status == 0 ? "timeout first byte" : "timeout next byte");
    EXPECT_TRUE(receiver.error().maybe_done);
    EXPECT_TRUE(run_until_nothing_is_under_way());
  }
}

TEST_P(HttpClientContract, ADestroyedCallSaysNothing) {
  rig_->serve({200, "abc"});
  NotingReceiver receiver;
  post(receiver).reset();
  rig_->settle();
  EXPECT_FALSE(receiver.told());
  EXPECT_TRUE(run_until_nothing_is_under_way());
}

TEST_P(HttpClientContract, ACallDestroyedInTheMiddleOfItsReplyIsClosedAndSaysNothing) {
  rig_->serve({200, "abc", {}, ServedReply::Then::Rest});
  NotingReceiver receiver;
  auto call = post(receiver);
  ASSERT_TRUE(run_until([&] { return receiver.body == "abc"; }));
  EXPECT_EQ(rig_->under_way(), 1);
  call.reset();
  EXPECT_TRUE(run_until_nothing_is_under_way());
  rig_->settle();
  EXPECT_EQ(receiver.pieces, 1);
  EXPECT_EQ(receiver.ends, 0);
}

TEST_P(HttpClientContract, ACallMayBeDestroyedWhereverItIsToldOf) {
  rig_->serve({200, "abc"});
  using Moment = std::function<void()> NotingReceiver::*;
  for (const Moment moment :
       {&NotingReceiver::at_head, &NotingReceiver::at_piece, &NotingReceiver::at_end}) {
    auto receiver = std::make_unique<NotingReceiver>();
    std::unique_ptr<http::HttpCall> call;
    (*receiver).*moment = [&] { call.reset(); };
    call = post(*receiver);
    ASSERT_TRUE(run_until([&] { return call == nullptr; }));
    rig_->settle();
    EXPECT_EQ(receiver->pieces, moment == &NotingReceiver::at_head ? 0 : 1);
    EXPECT_EQ(receiver->ends, moment == &NotingReceiver::at_end ? 1 : 0);
  }
}

TEST_P(HttpClientContract, WhoHearsTheEndMayPostAgain) {
  rig_->serve({200, "abc"});
  NotingReceiver first;
  NotingReceiver second;
  std::unique_ptr<http::HttpCall> call;
  first.at_end = [&] { call = post(second, "again"); };
  call = post(first, "once");
  ASSERT_TRUE(run_until([&] { return second.ends > 0; }));
  rig_->settle();
  EXPECT_EQ(first.ends + second.ends, 2);
  EXPECT_THAT(rig_->requests(), ElementsAre("once", "again"));
}

TEST_P(HttpClientContract, CallsAtTheSameTimeEndEachForItself) {
  rig_->serve({200, "abc"});
  std::array<NotingReceiver, 3> receivers;
  std::array<std::unique_ptr<http::HttpCall>, 3> calls;
  for (std::size_t i = 0; i < calls.size(); ++i) calls[i] = post(receivers[i]);
  calls[1].reset();
  ASSERT_TRUE(run_until([&] { return receivers[0].ends > 0 && receivers[2].ends > 0; }));
  rig_->settle();
  for (const std::size_t i : {0U, 2U}) {
    EXPECT_EQ(receivers[i].ends, 1);
    EXPECT_EQ(receivers[i].body, "abc");
  }
  EXPECT_FALSE(receivers[1].told());
}

TEST_P(HttpClientContract, OneCallMayDestroyAnother) {
  rig_->serve({200, "abc"});
  std::array<NotingReceiver, 2> receivers;
  std::array<std::unique_ptr<http::HttpCall>, 2> calls;
  for (std::size_t i = 0; i < 2; ++i) receivers[i].at_piece = [&calls, i] { calls[1 - i].reset(); };
  for (std::size_t i = 0; i < 2; ++i) calls[i] = post(receivers[i]);
  ASSERT_TRUE(run_until([&] { return receivers[0].ends + receivers[1].ends > 0; }));
  rig_->settle();
  EXPECT_EQ(receivers[0].ends + receivers[1].ends, 1);
}

TEST_P(HttpClientContract, AnEndpointMayGoRightAfterACallUnderWay) {
  rig_->serve({200, "abc", {}, ServedReply::Then::Rest});
  NotingReceiver receiver;
  auto call = post(receiver);
  ASSERT_TRUE(run_until([&] { return receiver.heads > 0; }));
  call.reset();
  endpoint_.reset();
  EXPECT_TRUE(run_until_nothing_is_under_way());
  EXPECT_EQ(receiver.ends, 0);
}

TEST_P(HttpClientContract, OpensNothingButHttp) {
  for (const char* url : {"file:///etc/passwd", "ftp://x", "x", ""}) {
    config_.url = url;
    const auto refused = rig_->client().open(config_);
    ASSERT_FALSE(refused) << url;
    EXPECT_EQ(refused.error().code, ErrorCode::InvalidArgument);
  }
}

}  // namespace
}  // namespace ba
