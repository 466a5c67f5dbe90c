// SPDX-License-Identifier: Apache-2.0
// The HTTP client against a server that misbehaves, over real sockets.
#include "worker/http/http_client.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/asio/ip/tcp.hpp>
#include <cstdlib>

#include "tests/support/asio_loop.hpp"
#include "tests/support/http_stub.hpp"
#include "worker/http/curl_http_client.hpp"

namespace ba::http {
namespace {

using Connection = HttpStubConnection;
using Request = HttpStub::Request;

class Receiver final : public HttpReceiver {
 public:
  void on_head(HttpHead received) override {
    EXPECT_EQ(heads++, 0);
    head = std::move(received);
    if (at_head) at_head();
  }
  HttpNext on_body(std::string_view piece) override {
    body += piece;
    ++pieces;
    return at_body ? at_body() : HttpNext::More;
  }
  void on_end(HttpEnd how) override {
    EXPECT_FALSE(end) << "ended twice";
    end = std::move(how);
    if (at_end) at_end();
  }

  int heads = 0;
  int pieces = 0;
  HttpHead head;
  std::string body;
  std::optional<HttpEnd> end;
  std::function<void()> at_head;
  std::function<HttpNext()> at_body;
  std::function<void()> at_end;
};

class HttpClientTest : public ::testing::Test {
 protected:
  HttpClientTest() : http_(make_curl_http_client(loop_.io)) {
    config_.url = stub_.url() + "/v1/messages";
    config_.headers = {{"content-type", Secret("application/json")}, {"x-key", Secret("k")}};
    config_.connect_timeout = config_.first_byte_timeout = config_.idle_timeout =
        config_.total_timeout = std::chrono::seconds(60);
    config_.reply_bytes_max = 10'000;
  }

  HttpEndpoint& endpoint() {
    if (!endpoint_) endpoint_ = std::move(*http_->open(config_));
    return *endpoint_;
  }
  std::unique_ptr<HttpCall> post(Receiver& receiver, const std::string& body = "{\"q\":1}",
                                 std::uint64_t affinity = 0,
                                 SteadyTime deadline = SteadyTime::max()) {
    return endpoint().post({std::make_shared<const std::string>(body), affinity, deadline},
                           receiver);
  }
  /// Posts and waits for the end.
  void exchange(Receiver& receiver, const std::string& body = "{\"q\":1}") {
    const auto call = post(receiver, body);
    ASSERT_TRUE(loop_.run_until([&] { return receiver.end.has_value(); }));
  }
  bool all_closed() {
    return loop_.run_until([&] { return stub_.open_connections() == 0; });
  }
  void answer_with(const std::string& bytes, bool then_close = false) {
    stub_.on_request = [bytes, then_close](Connection& connection, const Request&) {
      connection.send(bytes);
      if (then_close) connection.close();
    };
  }

  AsioLoop loop_;
  HttpStub stub_{loop_.io};
  std::unique_ptr<HttpClient> http_;
  HttpEndpointConfig config_;
  std::unique_ptr<HttpEndpoint> endpoint_;
};

constexpr const char* kOk = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nX-A:  b \r\n";

TEST_F(HttpClientTest, KeepsNoBodyOnceACallHasEnded) {
  answer_with(std::string(kOk) + "Content-Length: 5\r\n\r\nhello");
  auto body = std::make_shared<const std::string>(200'000, 'b');
  Receiver receiver;
  const auto call = endpoint().post({body}, receiver);
  EXPECT_GT(body.use_count(), 1);
  ASSERT_TRUE(loop_.run_until([&] { return receiver.end.has_value(); }));
  EXPECT_EQ(body.use_count(), 1) << "whose it is may go on writing it";
  Receiver next;
  exchange(next);
  EXPECT_EQ(stub_.requests.at(1).body, "{\"q\":1}");
}

TEST_F(HttpClientTest, PostsTheBodyAndReadsTheReply) {
  answer_with(std::string(kOk) + "Content-Length: 5\r\n\r\nhello");
  Receiver receiver;
  exchange(receiver);
  EXPECT_TRUE(receiver.end->result);
  EXPECT_TRUE(receiver.end->sent);
  EXPECT_EQ(receiver.head.status, 200);
  EXPECT_EQ(receiver.head.header("x-a"), "b");
  EXPECT_EQ(receiver.head.header("none"), "");
  EXPECT_EQ(receiver.body, "hello");
  const Request& request = stub_.requests.at(0);
  EXPECT_EQ(request.body, "{\"q\":1}");
  EXPECT_EQ(request.head.substr(0, 27), "POST /v1/messages HTTP/1.1\r");
  EXPECT_NE(request.head.find("x-key: k"), std::string::npos);
  EXPECT_EQ(request.head.find("Expect"), std::string::npos);
  EXPECT_NE(request.head.find("Accept-Encoding: identity\r\n"), std::string::npos);
}

TEST_F(HttpClientTest, AsksWithOtherMethodsAndWithHeadersOfOneRequest) {
  answer_with("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
  const auto ask = [&](HttpMethod method, const std::string& body) {
    HttpPost request;
    request.method = method;
    request.headers = {{"Mcp-Method", "tools/call"}, {"X-Empty", ""}};
    if (!body.empty()) request.body = std::make_shared<const std::string>(body);
    Receiver receiver;
    const auto call = endpoint().post(std::move(request), receiver);
    ASSERT_TRUE(loop_.run_until([&] { return receiver.end.has_value(); }));
    EXPECT_EQ(receiver.body, "ok");
  };
  ask(HttpMethod::Get, "");
  ask(HttpMethod::Delete, "");
  ask(HttpMethod::Post, "{}");
  Receiver plain;
  exchange(plain, "[]");
  ASSERT_EQ(stub_.requests.size(), 4u);
  EXPECT_THAT(stub_.requests[0].head, testing::StartsWith("GET /v1/messages"));
  EXPECT_THAT(stub_.requests[1].head, testing::StartsWith("DELETE /v1/messages"));
  EXPECT_EQ(stub_.requests[1].body, "");
  EXPECT_THAT(stub_.requests[2].head, testing::StartsWith("POST /v1/messages"));
  EXPECT_EQ(stub_.requests[2].body, "{}");
  EXPECT_THAT(stub_.requests[2].head, testing::HasSubstr("Mcp-Method: tools/call"));
  EXPECT_THAT(stub_.requests[2].head, testing::HasSubstr("x-key: k"));
  EXPECT_THAT(stub_.requests[2].head, testing::HasSubstr("X-Empty:"));
  EXPECT_THAT(stub_.requests[3].head, testing::Not(testing::HasSubstr("Mcp-Method")));
  EXPECT_THAT(stub_.requests[3].head, testing::HasSubstr("x-key: k"));
}

TEST_F(HttpClientTest, AQueryIsOfItsOwnRequestOnly) {
  answer_with("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
  const auto ask = [&](const std::string& query) {
    HttpPost request;
    request.method = HttpMethod::Get;
    request.query = query;
    Receiver receiver;
    const auto call = endpoint().post(std::move(request), receiver);
    ASSERT_TRUE(loop_.run_until([&] { return receiver.end.has_value(); }));
  };
  ask("q=a%20b&n=1");
  ask("");
  ASSERT_EQ(stub_.requests.size(), 2u);
  EXPECT_THAT(stub_.requests[0].head, testing::StartsWith("GET /v1/messages?q=a%20b&n=1 HTTP/1.1"));
  EXPECT_THAT(stub_.requests[1].head, testing::StartsWith("GET /v1/messages HTTP/1.1"));
  EXPECT_EQ(stub_.opened_connections(), 1);
}

TEST_F(HttpClientTest, KeepsConnections) {
  answer_with(std::string(kOk) + "Content-Length: 2\r\n\r\nok");
  for (int i = 0; i < 5; ++i) {
    Receiver receiver;
    exchange(receiver, std::string(static_cast<std::size_t>(i) * 50'000, 'x'));
    EXPECT_TRUE(receiver.end->result);
    EXPECT_EQ(receiver.body, "ok");
  }
  EXPECT_EQ(stub_.opened_connections(), 1);
  EXPECT_EQ(stub_.requests.at(4).body.size(), 200'000U);
}

TEST_F(HttpClientTest, ReadsOneByteAtATime) {
  stub_.on_request = [](Connection& connection, const Request&) {
    connection.send_bytewise(std::string(kOk) +
                             "Transfer-Encoding: chunked\r\n\r\n"
                             "4\r\nüe\xc3\r\n1\r\n\xbc\r\n0\r\n\r\n");
  };
  Receiver receiver;
  exchange(receiver);
  EXPECT_TRUE(receiver.end->result) << receiver.end->result.error().message;
  EXPECT_EQ(receiver.body, "üeü");
}

TEST_F(HttpClientTest, DeliversPiecesAsTheyCome) {
  Connection* connection = nullptr;
  stub_.on_request = [&](Connection& on, const Request&) {
    connection = &on;
    on.send(std::string(kOk) + "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n");
  };
  Receiver receiver;
  const auto call = post(receiver);
  ASSERT_TRUE(loop_.run_until([&] { return receiver.body == "abc"; }));
  EXPECT_FALSE(receiver.end);
  connection->send("1\r\nd\r\n0\r\n\r\n");
  ASSERT_TRUE(loop_.run_until([&] { return receiver.end.has_value(); }));
  EXPECT_EQ(receiver.body, "abcd");
}

TEST_F(HttpClientTest, SkipsInformationalReplies) {
  answer_with("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early\r\nX-A: no\r\n\r\n" +
              std::string(kOk) + "Content-Length: 1\r\n\r\nx");
  Receiver receiver;
  exchange(receiver);
  EXPECT_TRUE(receiver.end->result);
  EXPECT_EQ(receiver.head.header("x-a"), "b");
}

TEST_F(HttpClientTest, DeliversEveryStatusAndFollowsNoRedirect) {
  for (const int status : {301, 302, 307, 400, 413, 429, 500, 529}) {
    stub_.on_request = [status](Connection& connection, const Request&) {
      connection.answer(status, "<html>", "Retry-After: 3\r\nLocation: http://169.254.169.254/\r\n",
                        "text/html");
    };
    Receiver receiver;
    exchange(receiver);
    EXPECT_TRUE(receiver.end->result) << status;
    EXPECT_EQ(receiver.head.status, status);
    EXPECT_EQ(receiver.head.header("retry-after"), "3");
    EXPECT_EQ(receiver.body, "<html>");
  }
  EXPECT_EQ(stub_.requests.size(), 8U);
}

TEST_F(HttpClientTest, FindsNobodyThere) {
  {
    HttpStub gone(loop_.io);
    config_.url = gone.url();
  }
  Receiver receiver;
  exchange(receiver);
  EXPECT_EQ(receiver.end->result.error().code, ErrorCode::Unavailable);
  EXPECT_EQ(receiver.end->result.error().retry, Retry::Later);
  EXPECT_FALSE(receiver.end->result.error().maybe_done);
  EXPECT_FALSE(receiver.end->sent);
}

/// A listener that nobody serves: its queue is full, so that the next one hears nothing.
TEST_F(HttpClientTest, WaitsForAConnectionOnlySoLong) {
  using boost::asio::ip::tcp;
  tcp::acceptor full(loop_.io, tcp::endpoint(boost::asio::ip::address_v4::loopback(), 0));
  full.listen(0);
  std::vector<tcp::socket> waiting;
  for (int i = 0; i < 4; ++i) {
    waiting.emplace_back(loop_.io);
    waiting.back().async_connect(full.local_endpoint(), [](const boost::system::error_code&) {});
  }
  config_.url = "http://127.0.0.1:" + std::to_string(full.local_endpoint().port());
  config_.connect_timeout = Milliseconds(100);
  Receiver receiver;
  exchange(receiver);
  const Error& error = receiver.end->result.error();
  EXPECT_EQ(error.code, ErrorCode::Timeout) << error.message;
  EXPECT_EQ(error.detail, "timeout connection");
  EXPECT_FALSE(error.maybe_done);
  EXPECT_FALSE(receiver.end->sent);
}

TEST_F(HttpClientTest, WaitsForTheFirstByteOnlySoLong) {
  config_.first_byte_timeout = Milliseconds(100);
  Receiver receiver;
  exchange(receiver);
  const Error& error = receiver.end->result.error();
  EXPECT_EQ(error.code, ErrorCode::Timeout);
  EXPECT_EQ(error.detail, "timeout first byte");
  EXPECT_EQ(error.message, "no first byte within 100 ms");
  EXPECT_TRUE(error.maybe_done);
  EXPECT_TRUE(all_closed());
}

TEST_F(HttpClientTest, WaitsForTheNextByteOnlySoLong) {
  config_.idle_timeout = Milliseconds(100);
  for (const std::string& bytes : {std::string(kOk), std::string(kOk) + "Content-Length: 5\r\n\r\n",
                                   std::string(kOk) + "Content-Length: 5\r\n\r\nab"}) {
    answer_with(bytes);
    Receiver receiver;
    exchange(receiver);
    EXPECT_EQ(receiver.end->result.error().detail, "timeout next byte");
    EXPECT_TRUE(receiver.end->sent);
  }
  EXPECT_TRUE(all_closed());
}

TEST_F(HttpClientTest, BoundsTheWholeTransfer) {
  config_.total_timeout = Milliseconds(2000);
  std::unique_ptr<Timer> drip;
  Connection* connection = nullptr;
  std::function<void()> next = [&] {
    connection->send("1\r\nx\r\n");
    drip = loop_.after(Milliseconds(20), next);
  };
  stub_.on_request = [&](Connection& on, const Request&) {
    connection = &on;
    on.send(std::string(kOk) + "Transfer-Encoding: chunked\r\n\r\n");
    next();
  };
  Receiver receiver;
  exchange(receiver);
  drip.reset();
  EXPECT_EQ(receiver.end->result.error().detail, "timeout end");
  EXPECT_GT(receiver.pieces, 2);
}

TEST_F(HttpClientTest, KeepsToTheDeadlineOfTheCaller) {
  Receiver receiver;
  const auto call = post(receiver, "x", 0, loop_.now() + Milliseconds(100));
  ASSERT_TRUE(loop_.run_until([&] { return receiver.end.has_value(); }));
  EXPECT_EQ(receiver.end->result.error().detail, "timeout deadline");
  EXPECT_EQ(receiver.end->result.error().retry, Retry::Never);
}

/// curl itself reports a cut within the head as success.
TEST_F(HttpClientTest, NoticesACutAtEachByte) {
  const std::string head = "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n";
  const std::string whole = head + "{\"a\":\"b\"}";
  for (std::size_t cut = 0; cut < whole.size(); ++cut) {
    answer_with(whole.substr(0, cut), true);
    Receiver receiver;
    exchange(receiver);
    ASSERT_FALSE(receiver.end->result) << cut;
    EXPECT_EQ(receiver.end->result.error().code,
              cut > 0 && cut < 5 ? receiver.end->result.error().code : ErrorCode::Unavailable)
        << cut << receiver.end->result.error().message;
    EXPECT_TRUE(receiver.end->result.error().maybe_done) << cut;
    EXPECT_EQ(receiver.heads, cut >= head.size() ? 1 : 0) << cut;
  }
  EXPECT_EQ(stub_.requests.size(), whole.size()) << "no request may be repeated";
}

TEST_F(HttpClientTest, NoticesAChunkedReplyWithoutItsEnd) {
  const std::string whole =
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n";
  const std::size_t body = whole.find("3\r\n");
  for (std::size_t cut = body; cut < whole.size() - 4; ++cut) {
    answer_with(whole.substr(0, cut), true);
    Receiver receiver;
    exchange(receiver);
    EXPECT_FALSE(receiver.end->result) << cut;
  }
}

TEST_F(HttpClientTest, NoticesAReset) {
  stub_.on_request = [](Connection& connection, const Request&) { connection.reset(); };
  Receiver receiver;
  exchange(receiver);
  EXPECT_EQ(receiver.end->result.error().code, ErrorCode::Unavailable);
  EXPECT_TRUE(receiver.end->result.error().maybe_done);
}

TEST_F(HttpClientTest, ReadsOnlyWhatTheLengthSays) {
  answer_with(std::string(kOk) + "Content-Length: 3\r\n\r\nabcdef");
  for (int i = 0; i < 2; ++i) {
    Receiver receiver;
    exchange(receiver);
    EXPECT_TRUE(receiver.end->result);
    EXPECT_EQ(receiver.body, "abc");
  }
}

TEST_F(HttpClientTest, RefusesWhatIsNoHttp) {
  answer_with("220 smtp ready\r\n\r\n", true);
  Receiver receiver;
  exchange(receiver);
  EXPECT_EQ(receiver.end->result.error().code, ErrorCode::Protocol);
}

TEST_F(HttpClientTest, BoundsTheBody) {
  for (const std::size_t size :
       {std::size_t{10'000}, std::size_t{10'001}, std::size_t{1'000'000}}) {
    answer_with(std::string(kOk) + "Content-Length: " + std::to_string(size) + "\r\n\r\n" +
                std::string(size, 'x'));
    Receiver receiver;
    exchange(receiver);
    if (size == 10'000) {
      EXPECT_TRUE(receiver.end->result);
      continue;
    }
    EXPECT_EQ(receiver.end->result.error().code, ErrorCode::LimitExceeded);
    EXPECT_LE(receiver.body.size(), 10'000U);
  }
}

TEST_F(HttpClientTest, BoundsTheHead) {
  answer_with(std::string(kOk) + "X-Long: " + std::string(40'000, 'x') +
              "\r\nX-Longer: " + std::string(40'000, 'x') + "\r\n\r\n");
  Receiver receiver;
  exchange(receiver);
  EXPECT_EQ(receiver.end->result.error().code, ErrorCode::LimitExceeded);
}

/// gzip of 200,000 zero bytes.
constexpr const char* kGzipBomb =
    "1f8b0800000000000203edc13101000000c2a0f54f6d067fa0000000000000000000000000000000"
    "00000000000000000000000000000000000000000000000000000000000000000000000000000000"
    "00000000000000000000000000000000000000000000000000000000000000000000000000000000"
    "00000000000000000000000000000000000000000000000000000000000000000000000000000000"
    "00000000000000000000000000000000000000000000000000000000000000000000000000000000"
    "00000000000000000000000000000000000080d7007b58e05c400d0300";

std::string unhex(const std::string& hex) {
  std::string bytes;
  for (std::size_t i = 0; i < hex.size(); i += 2)
    bytes += static_cast<char>(std::stoi(hex.substr(i, 2), nullptr, 16));
  return bytes;
}

TEST_F(HttpClientTest, BoundsTheDecompressedBody) {
  config_.compression = true;
  const std::string bomb = unhex(kGzipBomb);
  stub_.on_request = [&](Connection& connection, const Request& request) {
    EXPECT_NE(request.head.find("Accept-Encoding: gzip, deflate"), std::string::npos);
    connection.answer(200, bomb, "Content-Encoding: gzip\r\n");
  };
  Receiver receiver;
  exchange(receiver);
  EXPECT_EQ(receiver.end->result.error().code, ErrorCode::LimitExceeded);
  endpoint_.reset();
  config_.reply_bytes_max = 200'000;
  Receiver whole;
  exchange(whole);
  EXPECT_TRUE(whole.end->result);
  EXPECT_EQ(whole.body.size(), 200'000U);
}

/// Some gateways compress whatever was asked for.
TEST_F(HttpClientTest, ReadsWhatIsCompressedUnasked) {
  config_.reply_bytes_max = 200'000;
  stub_.on_request = [&](Connection& connection, const Request& request) {
    EXPECT_EQ(request.head.find("gzip"), std::string::npos);
    connection.answer(200, unhex(kGzipBomb), "Content-Encoding: gzip\r\n");
  };
  Receiver receiver;
  exchange(receiver);
  EXPECT_TRUE(receiver.end->result);
  EXPECT_EQ(receiver.body.size(), 200'000U);
}

TEST_F(HttpClientTest, RepeatsNothingWhenAKeptConnectionDies) {
  stub_.on_request = [&](Connection& connection, const Request&) {
    if (stub_.requests.size() == 1)
      connection.answer(200, "ok");
    else
      connection.close();
  };
  Receiver first;
  exchange(first);
  Receiver second;
  exchange(second);
  ASSERT_FALSE(second.end->result);
  EXPECT_EQ(second.end->result.error().code, ErrorCode::Unavailable);
  EXPECT_TRUE(second.end->result.error().maybe_done);
  EXPECT_TRUE(second.end->reused_connection);
  EXPECT_EQ(stub_.requests.size(), 2U);
}

TEST_F(HttpClientTest, ClosesTheConnectionOfACancelledCall) {
  for (const std::string& bytes :
       {std::string(), std::string(kOk) + "Content-Length: 9\r\n\r\nab"}) {
    answer_with(bytes);
    const std::size_t before = stub_.requests.size();
    Receiver receiver;
    auto call = post(receiver);
    ASSERT_TRUE(loop_.run_until([&] {
      return stub_.requests.size() > before && (bytes.empty() || !receiver.body.empty());
    }));
    EXPECT_EQ(stub_.open_connections(), 1);
    call.reset();
    EXPECT_TRUE(all_closed());
    EXPECT_FALSE(receiver.end);
  }
}

TEST_F(HttpClientTest, MayBeCancelledInEachCallback) {
  answer_with(std::string(kOk) + "Content-Length: 9\r\n\r\nab");
  for (const int where : {0, 1}) {
    Receiver receiver;
    std::unique_ptr<HttpCall> call;
    if (where == 0) receiver.at_head = [&] { call.reset(); };
    if (where == 1)
      receiver.at_body = [&] {
        call.reset();
        return HttpNext::More;
      };
    call = post(receiver);
    ASSERT_TRUE(loop_.run_until([&] { return call == nullptr; }));
    EXPECT_TRUE(all_closed());
    EXPECT_FALSE(receiver.end);
  }
  answer_with(std::string(kOk) + "Content-Length: 2\r\n\r\nab");
  Receiver receiver;
  std::unique_ptr<HttpCall> call;
  receiver.at_end = [&] { call.reset(); };
  call = post(receiver);
  EXPECT_TRUE(loop_.run_until([&] { return call == nullptr; }));
}

TEST_F(HttpClientTest, MayCancelAnotherCallInACallback) {
  answer_with(std::string(kOk) + "Content-Length: 2\r\n\r\nab");
  std::array<Receiver, 2> receivers;
  std::array<std::unique_ptr<HttpCall>, 2> calls;
  for (std::size_t i = 0; i < 2; ++i)
    receivers[i].at_body = [&, i] {
      calls[1 - i].reset();
      return HttpNext::More;
    };
  for (std::size_t i = 0; i < 2; ++i) calls[i] = post(receivers[i]);
  ASSERT_TRUE(loop_.run_until([&] { return receivers[0].end || receivers[1].end; }));
  EXPECT_NE(receivers[0].end.has_value(), receivers[1].end.has_value());
}

TEST_F(HttpClientTest, EndsWhenTheReceiverHasAllItNeeds) {
  answer_with(std::string(kOk) + "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n");  // left open
  Receiver receiver;
  receiver.at_body = [] { return HttpNext::Complete; };
  exchange(receiver);
  EXPECT_TRUE(receiver.end->result);
  EXPECT_EQ(receiver.body, "abc");
  EXPECT_TRUE(all_closed());
}

TEST_F(HttpClientTest, StopsWhenTheReceiverWantsNoMore) {
  answer_with(std::string(kOk) + "Content-Length: 9\r\n\r\nab");
  Receiver receiver;
  receiver.at_body = [] { return HttpNext::Abort; };
  exchange(receiver);
  EXPECT_EQ(receiver.end->result.error().code, ErrorCode::Cancelled);
  EXPECT_TRUE(all_closed());
}

TEST_F(HttpClientTest, AdmitsOnlySoManyAtATime) {
  config_.concurrency_max = 2;
  config_.queue_max = 3;
  int running = 0;
  int most = 0;
  std::vector<std::shared_ptr<Connection>> waiting;
  stub_.on_request = [&](Connection& connection, const Request&) {
    most = std::max(most, ++running);
    waiting.push_back(connection.shared_from_this());
  };
  std::array<Receiver, 6> receivers;
  std::vector<std::unique_ptr<HttpCall>> calls;
  for (Receiver& receiver : receivers) calls.push_back(post(receiver));
  ASSERT_TRUE(loop_.run_until([&] { return waiting.size() == 2 && receivers[5].end; }));
  EXPECT_EQ(receivers[5].end->result.error().code, ErrorCode::LimitExceeded);
  EXPECT_FALSE(receivers[5].end->sent);
  calls[3].reset();  // waits in the queue
  for (std::size_t i = 0; i < 4; ++i) {
    ASSERT_TRUE(loop_.run_until([&] { return waiting.size() > i; }));
    --running;
    waiting[i]->answer(200, "ok");
  }
  ASSERT_TRUE(loop_.run_until([&] { return receivers[2].end && receivers[4].end; }));
  EXPECT_FALSE(receivers[3].end);
  EXPECT_EQ(most, 2);
  EXPECT_EQ(stub_.requests.size(), 4U);
}

TEST_F(HttpClientTest, KeepsToTheDeadlineInTheQueue) {
  config_.concurrency_max = 1;
  Receiver first;
  Receiver second;
  const auto one = post(first);
  const auto two = post(second, "x", 0, loop_.now() + Milliseconds(1000));
  ASSERT_TRUE(loop_.run_until([&] { return second.end.has_value(); }));
  EXPECT_EQ(second.end->result.error().detail, "timeout queue");
  EXPECT_FALSE(second.end->result.error().maybe_done);
  EXPECT_EQ(stub_.requests.size(), 1U);
}

TEST_F(HttpClientTest, StartsTheNextWhenACallIsCancelled) {
  config_.concurrency_max = 1;
  Receiver first;
  Receiver second;
  auto one = post(first, "1");
  const auto two = post(second, "2");
  ASSERT_TRUE(loop_.run_until([&] { return stub_.requests.size() == 1; }));
  one.reset();
  ASSERT_TRUE(loop_.run_until([&] { return stub_.requests.size() == 2; }));
  EXPECT_EQ(stub_.requests[1].body, "2");
}

/// Both ends of them are in this process, which may have no more than 1024 descriptors.
TEST_F(HttpClientTest, SpreadsManyCallsOverItsConnections) {
  config_.concurrency_max = 400;
  stub_.on_request = [](Connection& connection, const Request&) { connection.answer(200, "ok"); };
  std::vector<Receiver> receivers(400);
  for (int wave = 0; wave < 2; ++wave) {
    for (Receiver& receiver : receivers) receiver = Receiver();
    std::vector<std::unique_ptr<HttpCall>> calls;
    for (std::size_t i = 0; i < receivers.size(); ++i) calls.push_back(post(receivers[i], "x", i));
    ASSERT_TRUE(loop_.run_until([&] {
      return std::all_of(receivers.begin(), receivers.end(), [](auto& r) { return r.end; });
    }));
    for (const Receiver& receiver : receivers) EXPECT_TRUE(receiver.end->result);
  }
  EXPECT_EQ(stub_.requests.size(), 800U);
  EXPECT_LE(stub_.opened_connections(), 400);
}

/// Many replies that are slow to take apart leave room for others in between.
TEST_F(HttpClientTest, GivesTheControlThreadBackWhileRepliesKeepComing) {
  constexpr std::size_t kCalls = 60;
  std::vector<std::shared_ptr<Connection>> waiting;
  stub_.on_request = [&](Connection& connection, const Request&) {
    waiting.push_back(connection.shared_from_this());
    if (waiting.size() < kCalls) return;
    for (const auto& each : waiting) each->answer(200, "ok");
  };
  std::vector<Receiver> receivers(kCalls);
  int taken = 0;
  std::optional<int> taken_before_others;
  for (Receiver& receiver : receivers)
    receiver.at_body = [&] {
      if (taken++ == 0) loop_.post([&] { taken_before_others = taken; });
      const auto end = std::chrono::steady_clock::now() + Milliseconds(10);
      while (std::chrono::steady_clock::now() < end) {
      }
      return HttpNext::More;
    };
  std::vector<std::unique_ptr<HttpCall>> calls;
  for (std::size_t i = 0; i < kCalls; ++i) calls.push_back(post(receivers[i], "x", i));
  ASSERT_TRUE(loop_.run_until([&] {
    return std::all_of(receivers.begin(), receivers.end(), [](auto& r) { return r.end; });
  }));
  EXPECT_EQ(taken, static_cast<int>(kCalls));
  ASSERT_TRUE(taken_before_others);
  EXPECT_LT(*taken_before_others, 10);
}

TEST_F(HttpClientTest, IgnoresTheEnvironmentsProxy) {
  ::setenv("http_proxy", "http://127.0.0.1:1", 1);
  ::setenv("ALL_PROXY", "http://127.0.0.1:1", 1);
  answer_with(std::string(kOk) + "Content-Length: 2\r\n\r\nok");
  Receiver receiver;
  exchange(receiver);
  ::unsetenv("http_proxy");
  ::unsetenv("ALL_PROXY");
  EXPECT_TRUE(receiver.end->result);
}

TEST_F(HttpClientTest, GoesThroughAConfiguredProxy) {
  config_.proxy = stub_.url();
  config_.url = "http://model.invalid/v1/messages";
  answer_with(std::string(kOk) + "Content-Length: 2\r\n\r\nok");
  Receiver receiver;
  exchange(receiver);
  EXPECT_TRUE(receiver.end->result);
  EXPECT_NE(stub_.requests.at(0).head.find("POST http://model.invalid/v1/messages"),
            std::string::npos);
}

TEST_F(HttpClientTest, OpensOnlyHttp) {
  for (const char* url : {"file:///etc/passwd", "ftp://x", "x"}) {
    config_.url = url;
    EXPECT_FALSE(http_->open(config_)) << url;
  }
}

TEST_F(HttpClientTest, MayBeDestroyedWithAnswersUnderWay) {
  answer_with(std::string(kOk) + "Content-Length: 2\r\n\r\nok");
  {
    Receiver receiver;
    const auto call = post(receiver);
    loop_.run_until([&] { return stub_.requests.size() == 1; });
  }
  endpoint_.reset();
  http_.reset();
  EXPECT_TRUE(all_closed());
}

}  // namespace
}  // namespace ba::http
