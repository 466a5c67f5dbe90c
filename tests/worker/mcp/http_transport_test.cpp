// SPDX-License-Identifier: Apache-2.0
// A server behind a URL, well-behaved and not: real sockets.
#include "worker/mcp/http_transport.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/asio_loop.hpp"
#include "tests/support/http_stub.hpp"
#include "worker/http/curl_http_client.hpp"

namespace ba::mcp {
namespace {

using Connection = HttpStubConnection;
using Request = HttpStub::Request;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

constexpr const char* kSse = "text/event-stream";

class HttpTransportTest : public ::testing::Test, public TransportListener {
 protected:
  void start(std::int64_t reply_bytes_max = 4096) {
    http::HttpEndpointConfig endpoint;
    endpoint.url = stub_.url() + "/mcp";
    endpoint.headers = {{"Authorization", Secret("Bearer t")}};
    endpoint.reply_bytes_max = reply_bytes_max;
    transport_ = std::move(*make_http_transport(std::move(endpoint), *http_, loop_));
    transport_->start(*this);
  }
  void send(std::int64_t id, bool legacy = false, bool opens_session = false) {
    Outgoing message;
    message.id = id;
    message.body = R"({"id":)" + std::to_string(id) + "}";
    message.headers = {{"MCP-Protocol-Version", "x"}};
    if (!legacy) message.headers.emplace_back("Mcp-Method", "m");
    message.opens_session = opens_session;
    transport_->send(std::move(message));
  }
  void on_message(std::int64_t stream, RpcMessage message) override {
    messages_.emplace_back(stream, std::move(message));
  }
  void on_lost(std::int64_t id, Lost lost) override { lost_.emplace_back(id, std::move(lost)); }
  void on_closed(Error) override { FAIL(); }

  bool hears(std::size_t messages) {
    return loop_.run_until([&] { return messages_.size() >= messages; });
  }
  bool loses() {
    return loop_.run_until([&] { return !lost_.empty(); });
  }
  void serve(std::function<void(Connection&, const Request&)> what) { stub_.on_request = what; }

  AsioLoop loop_;
  HttpStub stub_{loop_.io};
  std::unique_ptr<http::HttpClient> http_ = http::make_curl_http_client(loop_.io);
  std::vector<std::pair<std::int64_t, RpcMessage>> messages_;
  std::vector<std::pair<std::int64_t, Lost>> lost_;
  std::unique_ptr<Transport> transport_;
};

TEST_F(HttpTransportTest, ReadsAnAnswerAsJson) {
  serve([](Connection& c, const Request&) { c.answer(200, R"({"id":1,"result":{}})"); });
  start();
  send(1);
  ASSERT_TRUE(hears(1));
  EXPECT_EQ(messages_[0].first, 1);
  EXPECT_THAT(stub_.requests[0].head, HasSubstr("Accept: application/json, text/event-stream"));
  EXPECT_THAT(stub_.requests[0].head, HasSubstr("Authorization: Bearer t"));
  EXPECT_THAT(stub_.requests[0].head, HasSubstr("Content-Type: application/json"));
}

TEST_F(HttpTransportTest, ReadsAStreamAndCountsOnItNoLongerThanToTheAnswer) {
  serve([](Connection& c, const Request&) {
    c.send(
        "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n: hello\n\n"
        "data: {\"method\":\"n\"}\n\ndata: {\"id\":1,\"result\":{}}\n\n");
  });
  start();
  send(1);
  ASSERT_TRUE(hears(2));
  EXPECT_EQ(messages_[0].second.method, "n");
  EXPECT_TRUE(loop_.run_until([this] { return stub_.open_connections() == 0; }));
}

TEST_F(HttpTransportTest, AnErrorsBodySaysMoreThanItsStatus) {
  serve([](Connection& c, const Request&) {
    c.answer(400, R"({"id":null,"error":{"code":-32022,"message":"no"}})");
  });
  start();
  send(1);
  ASSERT_TRUE(hears(1));
  EXPECT_EQ(messages_[0].second.error.code, -32022);
  EXPECT_EQ(messages_[0].second.id, 1);
}

TEST_F(HttpTransportTest, AStatusWithoutSuchABodyIsALoss) {
  serve([](Connection& c, const Request&) { c.answer(400, "Bad Request"); });
  start();
  send(1);
  ASSERT_TRUE(loses());
  EXPECT_EQ(lost_[0].second.status, 400);
  EXPECT_FALSE(lost_[0].second.session_gone);
}

TEST_F(HttpTransportTest, TellsHowLongABusyServerWantsToBeLeftAlone) {
  serve([](Connection& c, const Request&) { c.answer(429, "busy", "Retry-After: 3\r\n"); });
  start();
  send(1);
  ASSERT_TRUE(loses());
  EXPECT_EQ(lost_[0].second.error.code, ErrorCode::RateLimited);
  EXPECT_EQ(lost_[0].second.error.retry_after, Milliseconds(3000));
}

TEST_F(HttpTransportTest, BoundsWhatAServerSends) {
  serve([](Connection& c, const Request&) {
    c.answer(200, R"({"id":1,"result":")" + std::string(10'000, 'x') + "\"}");
  });
  start();
  send(1);
  ASSERT_TRUE(loses());
  EXPECT_EQ(lost_[0].second.error.code, ErrorCode::LimitExceeded);
}

TEST_F(HttpTransportTest, AModernStreamThatBreaksIsNotTakenUp) {
  serve([](Connection& c, const Request&) {
    c.answer(200, "id: e1\ndata: {\"method\":\"n\"}\n\n", "", kSse);
  });
  start();
  send(1);
  ASSERT_TRUE(loses());
  EXPECT_TRUE(lost_[0].second.error.maybe_done);
  EXPECT_EQ(stub_.requests.size(), 1u);
}

TEST_F(HttpTransportTest, ALegacyStreamIsTakenUpAfterTheTimeTheServerNamed) {
  serve([](Connection& c, const Request& request) {
    if (request.head.starts_with("POST"))
      c.answer(200, "id: e1\nretry: 20\ndata:\n\n", "", kSse);
    else
      c.answer(200, "id: e2\ndata: {\"id\":1,\"result\":{}}\n\n", "", kSse);
  });
  start();
  send(1, true);
  ASSERT_TRUE(hears(1));
  EXPECT_THAT(stub_.requests[1].head, StartsWith("GET /mcp"));
  EXPECT_THAT(stub_.requests[1].head, HasSubstr("Last-Event-ID: e1"));
}

TEST_F(HttpTransportTest, AStreamThatAlwaysBreaksIsGivenUp) {
  serve([](Connection& c, const Request&) {
    c.answer(200, "id: e1\nretry: 1\ndata:\n\n", "", kSse);
  });
  start();
  send(1, true);
  ASSERT_TRUE(loses());
  EXPECT_EQ(stub_.requests.size(), std::size_t{kResumptionsMax + 1});
}

TEST_F(HttpTransportTest, AServerThatNamesNoPauseIsNotAskedWithoutEnd) {
  serve([](Connection& c, const Request&) {
    c.answer(200, "retry: 0\ndata: {\"method\":\"n\"}\n\n", "", kSse);
  });
  start();
  transport_->listen({});
  ASSERT_TRUE(hears(1));
  bool over = false;
  const auto later = loop_.after(kResumeAfter / 2, [&over] { over = true; });
  ASSERT_TRUE(loop_.run_until([&over] { return over; }));
  EXPECT_EQ(stub_.requests.size(), 1u);
  EXPECT_TRUE(hears(2));  // it goes on, after the usual pause
}

TEST_F(HttpTransportTest, KeepsALegacySessionAndEndsIt) {
  serve([](Connection& c, const Request& request) {
    if (request.head.starts_with("DELETE")) return c.answer(200, "");
    const std::string id = request.body.substr(6, 1);
    c.answer(200, R"({"id":)" + id + R"(,"result":{}})", "Mcp-Session-Id: abc\r\n");
  });
  start();
  send(1, true, true);
  ASSERT_TRUE(hears(1));
  send(2, true);
  ASSERT_TRUE(hears(2));
  EXPECT_THAT(stub_.requests[0].head, Not(HasSubstr("Mcp-Session-Id")));
  EXPECT_THAT(stub_.requests[1].head, HasSubstr("Mcp-Session-Id: abc"));
  bool stopped = false;
  transport_->stop([&stopped] { stopped = true; });
  ASSERT_TRUE(loop_.run_until([&stopped] { return stopped; }));
  EXPECT_THAT(stub_.requests.back().head, StartsWith("DELETE /mcp"));
  EXPECT_THAT(stub_.requests.back().head, HasSubstr("Mcp-Session-Id: abc"));
}

TEST_F(HttpTransportTest, ASessionThatIsGoneIsToldAsSuch) {
  int status = 404;
  serve([&status](Connection& c, const Request& request) {
    if (request.body.starts_with(R"({"id":1)"))
      return c.answer(200, R"({"id":1,"result":{}})", "Mcp-Session-Id: abc\r\n");
    c.answer(status, R"({"id":null,"error":{"code":-32000,"message":"Session not found"}})");
  });
  start();
  send(1, true, true);
  ASSERT_TRUE(hears(1));
  for (const int refused : {404, 400}) {
    status = refused;
    lost_.clear();
    send(2, true);
    ASSERT_TRUE(loses());
    EXPECT_TRUE(lost_[0].second.session_gone) << refused;
    EXPECT_FALSE(lost_[0].second.error.maybe_done);
  }
}

TEST_F(HttpTransportTest, ARequestAfterANotificationWaitsUntilThatIsHeard) {
  std::shared_ptr<Connection> first;
  serve([&first](Connection& c, const Request&) {
    if (!first) first = c.shared_from_this();
  });
  start();
  send(0, true);
  send(1, true);
  ASSERT_TRUE(loop_.run_until([&] { return first != nullptr; }));
  EXPECT_EQ(stub_.requests.size(), 1u);
  first->answer(202, "");
  EXPECT_TRUE(loop_.run_until([this] { return stub_.requests.size() == 2; }));
}

TEST_F(HttpTransportTest, ADroppedRequestClosesItsStream) {
  serve([](Connection& c, const Request&) {
    c.send("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n");
  });
  start();
  send(1);
  ASSERT_TRUE(loop_.run_until([this] { return !stub_.requests.empty(); }));
  transport_->drop(1);
  EXPECT_TRUE(loop_.run_until([this] { return stub_.open_connections() == 0; }));
  EXPECT_TRUE(lost_.empty());
}

}  // namespace
}  // namespace ba::mcp
