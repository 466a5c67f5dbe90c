// SPDX-License-Identifier: Apache-2.0
#include "worker/observe/http_server.hpp"

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <nlohmann/json.hpp>
#include <stdexcept>

#include "worker/observe/health.hpp"

namespace ba::observe {
namespace {

using ::testing::AnyOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

/// A plain TCP client that gives up after two minutes.
class Client {
 public:
  explicit Client(int port) : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
    const timeval limit{120, 0};
    setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(port));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (connect(socket_, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0)
      throw std::runtime_error("can't connect");
  }
  ~Client() { ::close(socket_); }
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  Client& send(const std::string& text) {
    (void)!::send(socket_, text.data(), text.size(), MSG_NOSIGNAL);
    return *this;
  }

  /// Everything until the server closes.
  std::string read_all() {
    std::string out;
    char piece[4096];
    for (;;) {
      const ssize_t got = recv(socket_, piece, sizeof piece, 0);
      if (got <= 0) return out;
      out.append(piece, static_cast<std::size_t>(got));
    }
  }

  /// Until `end` has come.
  std::string read_to(const std::string& end) {
    std::string out;
    char letter = 0;
    while (out.find(end) == std::string::npos && recv(socket_, &letter, 1, 0) == 1) out += letter;
    return out;
  }

 private:
  int socket_;
};

class HttpServerTest : public ::testing::Test {
 protected:
  void start(HttpServerOptions options = {}) {
    auto server = HttpServer::start(options, [](const std::string& path, HttpAnswer& answer) {
      if (path == "/throw") throw std::runtime_error("broken");
      answer.body = "hello " + path + "\n";
      return path == "/hello";
    });
    ASSERT_TRUE(server);
    server_ = std::move(*server);
  }

  std::string answer_to(const std::string& request) {
    return Client(server_->port()).send(request).read_all();
  }
  std::string get(const std::string& target) {
    return answer_to("GET " + target + " HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
  }

  std::unique_ptr<HttpServer> server_;
};

TEST_F(HttpServerTest, AnswersGetAndHead) {
  start();
  EXPECT_THAT(get("/hello"),
              AllOf(StartsWith("HTTP/1.1 200 OK\r\n"), HasSubstr("\r\nContent-Length: 13\r\n"),
                    HasSubstr("\r\n\r\nhello /hello\n")));
  EXPECT_THAT(get("/hello?a=b"), StartsWith("HTTP/1.1 200"));
  const std::string head =
      answer_to("HEAD /hello HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
  EXPECT_THAT(head, AllOf(StartsWith("HTTP/1.1 200"), HasSubstr("Content-Length: 13")));
  EXPECT_THAT(head, ::testing::EndsWith("\r\n\r\n"));
}

TEST_F(HttpServerTest, KeepsAConnectionForSeveralRequests) {
  start();
  Client client(server_->port());
  for (int i = 0; i < 3; ++i) {
    client.send("GET /hello HTTP/1.1\r\nHost: x\r\n\r\n");
    EXPECT_THAT(client.read_to("hello /hello\n"), StartsWith("HTTP/1.1 200"));
  }
}

TEST_F(HttpServerTest, RefusesWhatItDoesNotKnow) {
  start();
  EXPECT_THAT(get("/"), StartsWith("HTTP/1.1 404"));
  EXPECT_THAT(get("/hello/../x"), StartsWith("HTTP/1.1 404"));
  const std::string post =
      answer_to("POST /hello HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
  EXPECT_THAT(post, AllOf(StartsWith("HTTP/1.1 405"), HasSubstr("Allow: GET, HEAD")));
  EXPECT_THAT(get("/throw"), AllOf(StartsWith("HTTP/1.1 500"), HasSubstr("broken")));
}

TEST_F(HttpServerTest, SurvivesBadRequests) {
  start();
  EXPECT_THAT(answer_to("nonsense\r\n\r\n"), AnyOf(StartsWith("HTTP/1.1 400"), IsEmpty()));
  EXPECT_THAT(answer_to(std::string("\0\xff\x16\x03\x01", 5) + "\r\n\r\n"),
              AnyOf(StartsWith("HTTP/1.1 400"), IsEmpty()));
  EXPECT_THAT(answer_to("GET /hello HTTP/1.1\r\nX: " + std::string(20'000, 'a') + "\r\n\r\n"),
              AnyOf(StartsWith("HTTP/1.1 431"), IsEmpty()));
  EXPECT_THAT(answer_to("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 999999999\r\n\r\n"),
              AnyOf(StartsWith("HTTP/1.1 4"), IsEmpty()));
  EXPECT_THAT(get("/hello"), StartsWith("HTTP/1.1 200"));
}

TEST_F(HttpServerTest, DropsASlowClient) {
  HttpServerOptions options;
  options.request_timeout = Milliseconds(200);
  start(options);
  Client slow(server_->port());
  slow.send("GET /hel");
  const auto before = std::chrono::steady_clock::now();
  EXPECT_EQ(slow.read_all(), "");  // closed, not answered
  EXPECT_LT(std::chrono::steady_clock::now() - before, std::chrono::seconds(60))
      << "the client gave up first";
  EXPECT_THAT(get("/hello"), StartsWith("HTTP/1.1 200"));
}

TEST_F(HttpServerTest, BoundsTheConnections) {
  HttpServerOptions options;
  options.connections_max = 2;
  options.request_timeout = Milliseconds(30'000);
  start(options);
  Client first(server_->port());
  Client second(server_->port());
  first.send("GET /hello HTTP/1.1\r\nHost: x\r\n\r\n").read_to("hello /hello\n");
  second.send("GET /hello HTTP/1.1\r\nHost: x\r\n\r\n").read_to("hello /hello\n");
  EXPECT_THAT(get("/hello"), StartsWith("HTTP/1.1 200"));
  EXPECT_THAT(first.read_all(), IsEmpty());  // it had owed a request for longer
  second.send("GET /hello HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_THAT(second.read_to("hello /hello\n"), StartsWith("HTTP/1.1 200"));
}

TEST_F(HttpServerTest, AnswersAmongManyThatOpenAConnectionAndSayNothing) {
  HttpServerOptions options;
  options.connections_max = 4;
  options.request_timeout = Milliseconds(30'000);
  start(options);
  std::vector<std::unique_ptr<Client>> silent;
  for (int i = 0; i < 50; ++i) {
    silent.push_back(std::make_unique<Client>(server_->port()));
    silent.back()->send("GET /hel");
    EXPECT_THAT(get("/hello"), StartsWith("HTTP/1.1 200"));
  }
}

TEST_F(HttpServerTest, StopsWhileClientsAreConnected) {
  HttpServerOptions options;
  options.request_timeout = std::chrono::minutes(10);
  start(options);
  Client idle(server_->port());
  Client half(server_->port());
  half.send("GET /hello HTTP/1.1\r\n");
  const auto before = std::chrono::steady_clock::now();
  server_.reset();
  EXPECT_LT(std::chrono::steady_clock::now() - before, std::chrono::seconds(60))
      << "it waited for them";
}

/// Accepted by the system, and not yet by the server.
TEST_F(HttpServerTest, StopsWhileConnectionsArrive) {
  for (int round = 0; round < 1000; ++round) {
    start();
    Client idle(server_->port());
    Client half(server_->port());
    half.send("GET /hello HTTP/1.1\r\n");
    server_.reset();
  }
}

TEST_F(HttpServerTest, APortInUseIsAnError) {
  start();
  HttpServerOptions options;
  options.port = server_->port();
  const auto second = HttpServer::start(options, [](const auto&, auto&) { return false; });
  ASSERT_FALSE(second);
  const std::string taken = std::to_string(options.port);
  EXPECT_EQ(second.error().message, "can't listen on 127.0.0.1 port " + taken +
                                        ": Address already in use; correct http.address or "
                                        "http.port (0: any free one), or set http.enabled: false");
}

// ---- the worker's endpoints --------------------------------------------------------------------

class HandClock final : public Clock {
 public:
  SteadyTime now() const override { return now_; }
  WallTime wall() const override { return {}; }
  void advance(Milliseconds by) { now_ += by; }

 private:
  SteadyTime now_{std::chrono::hours(1)};
};

class EndpointsTest : public ::testing::Test {
 protected:
  HttpAnswer at(const std::string& path) {
    HttpAnswer answer;
    if (!handler_(path, answer)) answer.status = 404;
    return answer;
  }

  HandClock clock_;
  Health health_{clock_, Milliseconds(1000)};
  Metrics metrics_{"1", "c"};
  HttpServer::Handler handler_ = worker_endpoints(&metrics_, health_);
};

TEST_F(EndpointsTest, HealthFollowsTheHeartbeat) {
  health_.beat();
  EXPECT_EQ(at("/healthz").status, 200);
  clock_.advance(Milliseconds(1001));
  EXPECT_EQ(at("/healthz").status, 503);
  health_.beat();
  EXPECT_EQ(at("/healthz").status, 200);
}

TEST_F(EndpointsTest, WithoutMetricsThereIsNoPageOfThem) {
  EXPECT_EQ(at("/metrics").status, 200);
  handler_ = worker_endpoints(nullptr, health_);
  EXPECT_EQ(at("/metrics").status, 404);
  EXPECT_EQ(at("/healthz").status, 200);
}

TEST_F(EndpointsTest, AStartThatWaitsIsAliveForAsLongAsItTakes) {
  health_.set("postgres", false, "waiting for PostgreSQL");
  clock_.advance(Milliseconds(3'600'000));
  EXPECT_EQ(at("/healthz").status, 200);
  EXPECT_EQ(at("/readyz").status, 503);
}

TEST_F(EndpointsTest, ReadyNamesEachDependency) {
  EXPECT_EQ(at("/readyz").status, 503);  // nothing is known yet
  health_.set("kafka", true, "no broker answers");
  health_.set("postgres", false, "no answer from \"h\"");
  const HttpAnswer answer = at("/readyz");
  EXPECT_EQ(answer.status, 503);
  EXPECT_EQ(answer.content_type, "application/json");
  const auto json = nlohmann::json::parse(answer.body);
  EXPECT_EQ(json["ready"], false);
  EXPECT_EQ(json["dependencies"]["kafka"], nlohmann::json({{"ready", true}}));
  EXPECT_EQ(json["dependencies"]["postgres"]["reason"], "no answer from \"h\"");
  health_.set("postgres", true);
  health_.beat();
  EXPECT_EQ(at("/readyz").status, 200);
  clock_.advance(Milliseconds(5000));
  EXPECT_EQ(at("/readyz").status, 503);
}

TEST_F(EndpointsTest, ServesMetrics) {
  const HttpAnswer answer = at("/metrics");
  EXPECT_THAT(answer.content_type, HasSubstr("version=0.0.4"));
  EXPECT_THAT(answer.body, HasSubstr("ba_build_info"));
  EXPECT_EQ(at("/other").status, 404);
}

}  // namespace
}  // namespace ba::observe
