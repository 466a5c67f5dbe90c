// SPDX-License-Identifier: Apache-2.0
#include "worker/trace/otlp_request.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace ba::trace {
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
  const http::HttpEndpointConfig endpoint = otlp_endpoint(config, kTracesPath);
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
  const http::HttpEndpointConfig endpoint = otlp_endpoint(config, kTracesPath);
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

using nlohmann::json;

Span sample() {
  Span span;
  span.trace_id = "0af7651916cd43dd8448eb211c80319c";
  span.span_id = "00f067aa0ba902b7";
  span.parent_id = "b7ad6b7169203331";
  span.trace_state = "v=1";
  span.remote_parent = true;
  span.name = "chat m";
  span.kind = SpanKind::Client;
  span.start = WallTime(Microseconds(1'772'366'400'000'001));
  span.end = span.start + Milliseconds(5);
  span.set("text", "a\"b");
  span.set("number", std::int64_t{9'007'199'254'740'993});
  span.set("share", 0.5);
  span.set("yes", true);
  span.set("list", std::vector<std::string>{"x", "y"});
  return span;
}

/// opentelemetry-proto, examples/trace.json and the text on the JSON encoding.
TEST(OtlpSpans, AreInThePublishedForm) {
  TraceResource resource;
  resource.attributes.push_back({"service.name", std::string("ba-agent")});
  resource.scope_version = "1.2.3";
  const Span span = sample();
  EXPECT_EQ(json::parse(otlp_request_of(resource, {&span, 1})), json::parse(R"({
    "resourceSpans": [{
      "resource": {"attributes": [{"key": "service.name", "value": {"stringValue": "ba-agent"}}]},
      "scopeSpans": [{
        "scope": {"name": "ba-agent", "version": "1.2.3"},
        "spans": [{
          "traceId": "0af7651916cd43dd8448eb211c80319c", "spanId": "00f067aa0ba902b7",
          "parentSpanId": "b7ad6b7169203331", "traceState": "v=1", "flags": 769,
          "name": "chat m", "kind": 3,
          "startTimeUnixNano": "1772366400000001000", "endTimeUnixNano": "1772366400005001000",
          "attributes": [
            {"key": "text", "value": {"stringValue": "a\"b"}},
            {"key": "number", "value": {"intValue": "9007199254740993"}},
            {"key": "share", "value": {"doubleValue": 0.5}},
            {"key": "yes", "value": {"boolValue": true}},
            {"key": "list", "value": {"arrayValue": {"values": [{"stringValue": "x"},
                                                               {"stringValue": "y"}]}}}]}]}]}]})"));
}

TEST(OtlpSpans, AFailureIsTheStatus) {
  Span span = sample();
  span.parent_id.clear();
  span.trace_state.clear();
  span.remote_parent = false;
  span.failed = true;
  span.failure = "TIMEOUT";
  const json told = json::parse(otlp_request_of({}, {&span, 1}))
                        .at("/resourceSpans/0/scopeSpans/0/spans/0"_json_pointer);
  EXPECT_EQ(told.at("status"), (json{{"code", 2}, {"message", "TIMEOUT"}}));
  EXPECT_EQ(told.at("flags"), 257);
  EXPECT_FALSE(told.contains("parentSpanId"));
  EXPECT_FALSE(told.contains("traceState"));
}

TEST(OtlpSpans, NeverEndBeforeTheyBegin) {
  Span span = sample();
  span.end = span.start - Milliseconds(3);
  const json told = json::parse(otlp_request_of({}, {&span, 1}))
                        .at("/resourceSpans/0/scopeSpans/0/spans/0"_json_pointer);
  EXPECT_EQ(told.at("endTimeUnixNano"), told.at("startTimeUnixNano"));
}

TEST(OtlpSpans, LongTextsAreCutBetweenLetters) {
  Span span;
  span.set("a", std::string(kAttributeBytesMax - 1, 'x') + "漢字");
  EXPECT_EQ(std::get<std::string>(span.attributes[0].value),
            std::string(kAttributeBytesMax - 1, 'x'));
  span.set("b", "漢字", 4);
  EXPECT_EQ(std::get<std::string>(span.attributes[1].value), "漢");
}

TEST(OtlpSpans, BrokenTextDoesNotBreakARequest) {
  Span span = sample();
  span.set("broken", "\xff\xfe");
  EXPECT_TRUE(json::accept(otlp_request_of({}, {&span, 1})));
}

TEST(OtlpAnswers, SayWhatWasNotTaken) {
  const std::pair<const char*, std::int64_t> answers[] = {
      {"", 0},
      {"{}", 0},
      {"no JSON", 0},
      {R"({"partialSuccess":{}})", 0},
      {R"({"partialSuccess":{"rejectedSpans":"3","errorMessage":"no"}})", 3},
      {R"({"partialSuccess":{"rejectedSpans":4}})", 4},
      {R"({"partialSuccess":{"rejectedSpans":"-4"}})", 0},
      {R"({"partialSuccess":{"rejectedSpans":-4}})", 0},
      {R"({"partialSuccess":{"rejectedSpans":{}}})", 0},
      {R"({"partialSuccess":[1]})", 0},
      {"[]", 0}};
  for (const auto& [answer, spans] : answers) EXPECT_EQ(rejected_spans(answer), spans) << answer;
}

}  // namespace

}  // namespace ba::trace
