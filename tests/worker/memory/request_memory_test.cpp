// SPDX-License-Identifier: Apache-2.0
// What an HTTP request takes beside its body: in the queue of its endpoint, and in flight, with and
// without TLS, until the server's first byte. The server runs on a thread of its own, whose memory
// isn't counted.
#include <gtest/gtest.h>

#include <thread>

#include "tests/support/asio_loop.hpp"
#include "tests/support/http_stub.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/tls_stub.hpp"
#include "tests/worker/memory/memory_kinds.hpp"
#include "worker/http/curl_http_client.hpp"

namespace ba::http {
namespace {

constexpr std::size_t kBodyBytes = 10'000;

class NoReceiver final : public HttpReceiver {
 public:
  void on_head(HttpHead) override { ADD_FAILURE() << "nothing is answered"; }
  HttpNext on_body(std::string_view) override { return HttpNext::More; }
  void on_end(HttpEnd end) override { ADD_FAILURE() << end.result.error().message; }
};

/// A server on its own thread; `requests` are those that it has read.
template <typename Stub>
class Serving final {
 public:
  template <typename... Arguments>
  explicit Serving(const Arguments&... arguments) : stub(io_, arguments...) {}
  ~Serving() {
    io_.stop();
    thread_.join();
  }

 private:
  boost::asio::io_context io_{1};

 public:
  Stub stub;

 private:
  std::thread thread_{[this] { io_.run(); }};
};

class RequestMemory : public testing::Test {
 protected:
  RequestMemory() {
    config_.headers = {{"content-type", Secret("application/json")},
                       {"authorization", Secret("Bearer sk-secret-key")}};
    config_.connect_timeout = std::chrono::seconds(60);
  }

  /// Of all requests that wait for an answer, with all that was opened for them.
  std::int64_t bytes_in_flight(int requests) {
    config_.concurrency_max = requests;
    const std::int64_t before = live_bytes();
    const auto http = make_curl_http_client(loop_.io);
    const auto endpoint = std::move(*http->open(config_));
    std::vector<std::unique_ptr<HttpCall>> calls;
    for (int i = 0; i < requests; ++i) calls.push_back(post(*endpoint, i));
    EXPECT_TRUE(loop_.run_until([&] { return all_arrived(requests); }));
    return live_bytes() - before;
  }

  std::unique_ptr<HttpCall> post(HttpEndpoint& endpoint, int number) {
    return endpoint.post({body_, static_cast<std::uint64_t>(number)}, receiver_);
  }

  bool all_arrived(int requests) {
    if (arrived_() >= requests) return true;
    std::this_thread::yield();
    return false;
  }

  const std::shared_ptr<const std::string> body_ =
      std::make_shared<const std::string>(kBodyBytes, 'b');
  const TemporaryDirectory directory_;
  AsioLoop loop_;
  NoReceiver receiver_;
  HttpEndpointConfig config_;
  std::function<int()> arrived_;
};

TEST_F(RequestMemory, InTheQueueIsAFewHundredBytes) {
  Serving<HttpStub> server;
  config_.url = server.stub.url();
  config_.concurrency_max = 1;
  const auto http = make_curl_http_client(loop_.io);
  const auto endpoint = std::move(*http->open(config_));
  std::vector<std::unique_ptr<HttpCall>> calls;
  calls.reserve(kMany + 1);
  calls.push_back(post(*endpoint, 0));
  const std::int64_t before = live_bytes();
  for (int i = 1; i <= kMany; ++i) calls.push_back(post(*endpoint, i));
  EXPECT_LE(tell_bytes("request_queued", live_bytes() - before, kMany), 300);
}

TEST_F(RequestMemory, InFlightIsWhatCurlTakes) {
  std::atomic<int> arrived{0};
  Serving<HttpStub> server;
  server.stub.on_request = [&](auto&, const auto&) { ++arrived; };
  config_.url = server.stub.url();
  arrived_ = [&] { return arrived.load(); };
  EXPECT_LE(tell_bytes("request_in_flight", bytes_in_flight(kMany), kMany), 14 << 10);
}

TEST_F(RequestMemory, InFlightOverTlsHasNoLargeBuffer) {
  TlsCertificate certificate;
  certificate.silent = true;
  Serving<TlsStub> server(certificate);
  directory_.write("ca.pem", server.stub.certificate_pem());
  config_.url = server.stub.url();
  config_.ca_file = directory_.path() / "ca.pem";
  arrived_ = [&] { return static_cast<int>(server.stub.bytes() / std::ssize(*body_)); };
  EXPECT_LE(tell_bytes("request_in_flight_tls", bytes_in_flight(kMany), kMany), 100 << 10);
}

}  // namespace
}  // namespace ba::http
