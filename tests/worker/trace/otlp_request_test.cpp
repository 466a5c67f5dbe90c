// SPDX-License-Identifier: Apache-2.0
#include "worker/trace/otlp_request.hpp"

#include <gtest/gtest.h>

namespace ba {
namespace {

TEST(OtlpUrl, GetsTheSignalsPathOnce) {
  const std::pair<const char*, const char*> rows[] = {
      {"http://c:4318", "http://c:4318/v1/traces"},
      {"http://c:4318/", "http://c:4318/v1/traces"},
      {"https://h/api/public/otel", "https://h/api/public/otel/v1/traces"},
      {"https://h/otel/v1/traces", "https://h/otel/v1/traces"}};
  for (const auto& [endpoint, url] : rows) EXPECT_EQ(otlp_url(endpoint, kTracesPath), url);
}

TEST(OtlpEndpoint, SaysWhatTheBodyIsAndWhoAsks) {
  OtlpConfig config;
  config.endpoint = "http://c:4318";
  config.headers["x-tenant"] = Secret("a");
  config.timeout = Milliseconds(700);
  const HttpEndpointConfig endpoint = otlp_endpoint(config, kTracesPath);
  EXPECT_EQ(endpoint.headers, (std::vector<std::pair<std::string, Secret>>{
                                  {"Content-Type", Secret("application/json")},
                                  {"Content-Encoding", Secret("gzip")},
                                  {"x-tenant", Secret("a")}}));
  EXPECT_EQ(endpoint.total_timeout, Milliseconds(700));
  EXPECT_EQ(otlp_body(config, "{}").substr(0, 2), "\x1f\x8b");
  config.compression = OtlpCompression::None;
  EXPECT_EQ(otlp_endpoint(config, kTracesPath).headers.size(), 2U);
  EXPECT_EQ(otlp_body(config, "{}"), "{}");
}

TEST(OtlpEndpoint, ComesByTheProxyWithItsLoginAndTheAuthorityThatIsTrusted) {
  OtlpConfig config;
  config.endpoint = "https://c";
  config.proxy = "http://p:3128";
  config.proxy_user = Secret("worker");
  config.proxy_password = Secret("word");
  config.ca_file = "/ca.pem";
  const HttpEndpointConfig endpoint = otlp_endpoint(config, kTracesPath);
  EXPECT_EQ(endpoint.proxy, "http://p:3128");
  EXPECT_EQ(endpoint.proxy_user, Secret("worker"));
  EXPECT_EQ(endpoint.proxy_password, Secret("word"));
  EXPECT_EQ(endpoint.ca_file, "/ca.pem");
}

/// The OTLP specification, "Retryable response codes".
TEST(OtlpRetry, OnlyFourStatusesAreTriedAgain) {
  for (const int status : {429, 502, 503, 504}) EXPECT_TRUE(otlp_retryable(status)) << status;
  for (const int status : {200, 301, 400, 401, 403, 404, 408, 413, 500, 501, 505})
    EXPECT_FALSE(otlp_retryable(status)) << status;
}

TEST(OtlpRetry, WaitsDoubleAndHaveAnEnd) {
  const Milliseconds expected[] = {Milliseconds(1000), Milliseconds(2000),  Milliseconds(4000),
                                   Milliseconds(8000), Milliseconds(16000), Milliseconds(30000),
                                   Milliseconds(30000)};
  int tries = 0;
  for (const Milliseconds wait : expected)
    EXPECT_EQ(otlp_retry_delay(++tries, std::nullopt, 0), wait);
  EXPECT_EQ(otlp_retry_delay(1, std::nullopt, ~std::uint64_t{0}), Milliseconds(1500));
  EXPECT_EQ(otlp_retry_delay(1, Milliseconds(7000), 99), Milliseconds(7000));
  EXPECT_EQ(otlp_retry_delay(1, Milliseconds(7'000'000), 99), Milliseconds(60'000));
}

TEST(PortOf, IsWhatTheUrlNames) {
  EXPECT_EQ(port_of("http://c:4317"), 4317);
  EXPECT_EQ(port_of("https://c:4317/v1/traces"), 4317);
  EXPECT_EQ(port_of("http://[::1]:4318/x"), 4318);
  EXPECT_EQ(port_of("http://[::1]/x"), std::nullopt);
  EXPECT_EQ(port_of("http://c"), std::nullopt);
}

}  // namespace
}  // namespace ba
