// SPDX-License-Identifier: Apache-2.0
// The HTTP client and certificates: nothing is sent to a server that can't prove who it is.
#include <gtest/gtest.h>

#include "tests/support/asio_loop.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/tls_stub.hpp"
#include "worker/http/curl_http_client.hpp"

namespace ba::http {
namespace {

class Receiver final : public HttpReceiver {
 public:
  void on_head(HttpHead head) override { status = head.status; }
  HttpNext on_body(std::string_view) override { return HttpNext::More; }
  void on_end(HttpEnd how) override { end = std::move(how); }

  int status = 0;
  std::optional<HttpEnd> end;
};

class HttpTlsTest : public ::testing::Test {
 protected:
  void exchange(const TlsStub& server, bool trusted, Receiver& receiver) {
    HttpEndpointConfig config;
    config.url = server.url();
    if (trusted) {
      directory_.write("ca.pem", server.certificate_pem());
      config.ca_file = directory_.path() / "ca.pem";
    }
    const auto http = make_curl_http_client(loop_.io);
    const auto endpoint = std::move(*http->open(config));
    const auto call =
        endpoint->post({std::make_shared<const std::string>("{}"), 0, SteadyTime::max()}, receiver);
    ASSERT_TRUE(loop_.run_until([&] { return receiver.end.has_value(); }));
  }

  void expect_refused(const TlsCertificate& certificate, bool trusted) {
    TlsStub server(loop_.io, certificate);
    Receiver receiver;
    exchange(server, trusted, receiver);
    ASSERT_FALSE(receiver.end->result);
    EXPECT_EQ(receiver.end->result.error().code, ErrorCode::Authentication);
    EXPECT_EQ(receiver.end->result.error().retry, Retry::Never);
    EXPECT_FALSE(receiver.end->sent);
    EXPECT_EQ(server.requests(), 0);
  }

  const TemporaryDirectory directory_;
  AsioLoop loop_;
};

TEST_F(HttpTlsTest, TalksToAServerOfATrustedRoot) {
  TlsStub server(loop_.io, {});
  Receiver receiver;
  exchange(server, true, receiver);
  ASSERT_TRUE(receiver.end->result) << receiver.end->result.error().message;
  EXPECT_EQ(receiver.status, 200);
  EXPECT_EQ(server.requests(), 1);
}

TEST_F(HttpTlsTest, RefusesAnUnknownRoot) { expect_refused({}, false); }

TEST_F(HttpTlsTest, RefusesACertificateOfAnotherHost) {
  expect_refused({"model.invalid", 3600}, true);
}

TEST_F(HttpTlsTest, RefusesAnExpiredCertificate) { expect_refused({"localhost", -1800}, true); }

}  // namespace
}  // namespace ba::http
