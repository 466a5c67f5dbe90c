// SPDX-License-Identifier: Apache-2.0
// The server over real sockets on loopback.
#include "tests/scripted_model/model_server.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <thread>

#include "tests/scripted_model/tests/service_fixture.hpp"

namespace ba::scripted {
namespace {

/// A blocking client that gives up after five seconds.
class Client {
 public:
  explicit Client(std::uint16_t port) : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const timeval limit{5, 0};
    ::setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    EXPECT_EQ(::connect(socket_, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  }
  ~Client() { ::close(socket_); }
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  void send(const std::string& bytes) {
    EXPECT_EQ(::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL),
              static_cast<ssize_t>(bytes.size()));
  }

  /// What was received up to and including `mark`, or all there was until the end.
  std::string read_until(const std::string& mark) {
    std::size_t found = received_.find(mark);
    char buffer[4096];
    while (found == std::string::npos) {
      const ssize_t got = ::recv(socket_, buffer, sizeof buffer, 0);
      if (got <= 0) return std::exchange(received_, {});
      received_.append(buffer, static_cast<std::size_t>(got));
      found = received_.find(mark);
    }
    std::string result = received_.substr(0, found + mark.size());
    received_.erase(0, found + mark.size());
    return result;
  }
  std::string read_all() { return read_until(std::string(1, '\0')); }

 private:
  int socket_;
  std::string received_;
};

std::string chat(const std::string& question, const std::string& more = "") {
  const std::string body =
      R"({"model":"m","messages":[{"role":"user","content":")" + question + R"("}])" + more + "}";
  return "POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
         "Content-Length: " +
         std::to_string(body.size()) + "\r\n\r\n" + body;
}

class ServerTest : public ::testing::Test {
 protected:
  ServerTest()
      : service_({}, script_from(R"(
entries:
  - {when: a, then: [{text: fine}]}
  - {when: slow, then: [{text: fine, delay_ms: 20}]}
  - {when: hang, then: [{text: fine, faults: [{hang: true}]}]}
  - {when: cut, then: [{text: fine, faults: [{cut_after_bytes: 10}]}]}
  - {when: drip, then: [{text: fine, faults: [{chunk_bytes: 50, chunk_delay_ms: 1}]}]}
)")),
        server_(service_) {
    const auto port = server_.listen(0);
    EXPECT_TRUE(port.has_value());
    port_ = *port;
    thread_ = std::thread([this] { server_.run(); });
  }
  ~ServerTest() override {
    server_.stop();
    thread_.join();
  }

  /// Waits until a count is 1.
  bool comes_to_one(const char* count) {
    const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (counts()[count] != 1) {
      if (std::chrono::steady_clock::now() > limit) return false;
      std::this_thread::yield();
    }
    return true;
  }

  Json counts() {
    Client client(port_);
    client.send("GET /__calls HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
    const std::string answer = client.read_all();
    return Json::parse(answer.substr(answer.find("\r\n\r\n")));
  }

  Service service_;
  Server server_;
  std::uint16_t port_ = 0;
  std::thread thread_;
};

TEST_F(ServerTest, AnswersOneRequestAfterAnotherOnAConnection) {
  Client client(port_);
  for (int i = 0; i < 3; ++i) {
    client.send(chat("a"));
    EXPECT_TRUE(client.read_until("\r\n\r\n").starts_with("HTTP/1.1 200 OK"));
    EXPECT_NE(client.read_until("}}}").find("fine"), std::string::npos);
  }
}

TEST_F(ServerTest, AnswersRequestsThatComeTogetherOrInPieces) {
  Client client(port_);
  client.send(chat("a") + chat("slow") + chat("a"));
  for (int i = 0; i < 3; ++i) EXPECT_NE(client.read_until("}}}").find("fine"), std::string::npos);
  for (const char byte : chat("a")) client.send(std::string(1, byte));
  EXPECT_NE(client.read_until("}}}").find("fine"), std::string::npos);
}

TEST_F(ServerTest, StreamsInChunks) {
  Client client(port_);
  client.send(chat("a", R"(,"stream":true)"));
  EXPECT_NE(client.read_until("\r\n\r\n").find("text/event-stream"), std::string::npos);
  EXPECT_NE(client.read_until("0\r\n\r\n").find("data: [DONE]\n\n\r\n"), std::string::npos);
}

TEST_F(ServerTest, ADrippingAnswerArrivesWhole) {
  Client client(port_);
  client.send(chat("drip"));
  EXPECT_NE(client.read_until("}}}").find("fine"), std::string::npos);
}

TEST_F(ServerTest, ACutAnswerEndsTheConnection) {
  Client client(port_);
  client.send(chat("cut"));
  const std::string answer = client.read_all();
  EXPECT_EQ(answer.size() - answer.find("\r\n\r\n") - 4, 10U);
}

TEST_F(ServerTest, SeesThatAClientGaveUp) {
  {
    Client client(port_);
    client.send(chat("hang"));
    ASSERT_TRUE(comes_to_one("accepted"));
  }
  EXPECT_TRUE(comes_to_one("cancelled"));
  EXPECT_EQ(counts()["questions"]["hang"]["accepted"], 1);
}

TEST_F(ServerTest, InvitesALargeBody) {
  Client client(port_);
  const std::string request = chat("a");
  const std::size_t body = request.find("\r\n\r\n") + 4;
  client.send(request.substr(0, body - 2) + "Expect: 100-continue\r\n\r\n");
  EXPECT_EQ(client.read_until("\r\n\r\n"), "HTTP/1.1 100 Continue\r\n\r\n");
  client.send(request.substr(body));
  EXPECT_NE(client.read_until("}}}").find("fine"), std::string::npos);
}

TEST_F(ServerTest, RefusesWhatIsNotHttpAndWhatIsTooLarge) {
  Client noise(port_);
  noise.send("\x16\x03\x01 hello\r\n\r\n");
  EXPECT_TRUE(noise.read_all().starts_with("HTTP/1.1 400"));
  Client large(port_);
  large.send("POST /v1/messages HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999\r\n\r\n");
  EXPECT_TRUE(large.read_all().starts_with("HTTP/1.1 413"));
  Client lost(port_);
  lost.send("GET /nowhere HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
  EXPECT_TRUE(lost.read_all().starts_with("HTTP/1.1 404"));
}

TEST_F(ServerTest, TwoServersDoNotShareAPort) {
  Server second(service_);
  EXPECT_TRUE(second.listen(port_).has_error());
}

}  // namespace
}  // namespace ba::scripted
