// SPDX-License-Identifier: Apache-2.0
// libcurl against a server on a socket, and the double of tests/worker/http.
#include "tests/contract/http_client/http_client_contract.hpp"
#include "tests/support/asio_loop.hpp"
#include "tests/support/http_stub.hpp"
#include "tests/worker/http/fake_http.hpp"
#include "worker/http/curl_http_client.hpp"

namespace ba {
namespace {

class CurlRig final : public HttpClientRig {
 public:
  http::HttpClient& client() override { return *client_; }

  http::HttpEndpointConfig server() override {
    http::HttpEndpointConfig config;
    config.url = stub_->url();
    return config;
  }

  void serve(const ServedReply& reply) override {
    stub_->on_request = [reply](HttpStubConnection& connection, const HttpStub::Request&) {
      if (reply.status == 0) return;
      std::string headers;
      for (const auto& [name, value] : reply.headers) headers += name + ": " + value + "\r\n";
      if (reply.then == ServedReply::Then::End)
        return connection.answer(reply.status, reply.body, headers);
      connection.send("HTTP/1.1 " + std::to_string(reply.status) + " X\r\n" + headers +
                      "Content-Length: " + std::to_string(reply.body.size() + 1) + "\r\n\r\n" +
                      reply.body);
      if (reply.then == ServedReply::Then::Cut) connection.close();
    };
  }

  void close_server() override { stub_.reset(); }

  std::vector<std::string> requests() const override {
    std::vector<std::string> bodies;
    for (const HttpStub::Request& request : stub_->requests) bodies.push_back(request.body);
    return bodies;
  }

  int under_way() const override { return stub_->open_connections(); }
  SteadyTime now() const override { return loop_.now(); }
  bool run_until(const std::function<bool()>& reached) override { return loop_.run_until(reached); }

  void settle() override {
    bool over = false;
    const auto timer = loop_.after(Milliseconds(50), [&] { over = true; });
    EXPECT_TRUE(loop_.run_until([&] { return over; }));
  }

 private:
  AsioLoop loop_;
  std::unique_ptr<HttpStub> stub_ = std::make_unique<HttpStub>(loop_.io);
  std::unique_ptr<http::HttpClient> client_ = http::make_curl_http_client(loop_.io);
};

class FakeRig final : public HttpClientRig {
 public:
  http::HttpClient& client() override { return http_; }

  http::HttpEndpointConfig server() override {
    http::HttpEndpointConfig config;
    config.url = "http://model";
    return config;
  }

  void serve(const ServedReply& reply) override {
    http::FakeAnswer answer{reply.status, reply.body, reply.headers};
    answer.left_open = reply.then == ServedReply::Then::Rest;
    if (reply.then == ServedReply::Then::Cut) answer.error = unavailable();
    http_.answers.assign(kMany, answer);
  }

  void close_server() override {
    http::FakeAnswer nobody{0, "", {}, unavailable()};
    nobody.sent = false;
    http_.answers.assign(kMany, nobody);
  }

  std::vector<std::string> requests() const override {
    std::vector<std::string> bodies;
    for (const http::FakeHttp::Post& post : http_.posts) bodies.push_back(post.body);
    return bodies;
  }

  int under_way() const override { return http_.under_way; }
  SteadyTime now() const override { return time_.now(); }
  bool run_until(const std::function<bool()>& reached) override {
    return time_.run_until(reached, std::chrono::hours(1));
  }
  void settle() override { time_.run_for(Milliseconds(50)); }

 private:
  static constexpr std::size_t kMany = 10;

  static Error unavailable() {
    Error error;
    error.code = ErrorCode::Unavailable;
    error.retry = Retry::Later;
    return error;
  }

  VirtualExecutor time_;
  http::FakeHttp http_{time_};
};

template <typename Rig>
std::unique_ptr<HttpClientRig> make() {
  return std::make_unique<Rig>();
}

INSTANTIATE_TEST_SUITE_P(All, HttpClientContract,
                         testing::Values(HttpClientKind{"Curl", make<CurlRig>},
                                         HttpClientKind{"Fake", make<FakeRig>}),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace ba
