// SPDX-License-Identifier: Apache-2.0
#include "worker/trace/otlp_request.hpp"

#include <algorithm>
#include <boost/beast/zlib/deflate_stream.hpp>
#include <boost/crc.hpp>
#include <charconv>
#include <nlohmann/json.hpp>

#include "pipeline/base/assert.hpp"
#include "worker/http/retry_wait.hpp"
#include "worker/http/url.hpp"

namespace ba::trace {
namespace {

constexpr Milliseconds kConnectTimeout{5'000};
constexpr std::int64_t kAnswerBytesMax = 64 * 1024;
constexpr int kQueueMax = 1;

constexpr Milliseconds kFirstDelay{1'000};
constexpr Milliseconds kLongestDelay{30'000};
constexpr Milliseconds kLongestAsked{60'000};
constexpr double kJitter = 0.5;

using Json = nlohmann::ordered_json;

constexpr int kStatusError = 2;

// Of a span's flags: the trace flags of W3C, and whether the parent is of another process.
constexpr unsigned kSampled = 0x001;
constexpr unsigned kSaysWhetherRemote = 0x100;
constexpr unsigned kRemote = 0x200;

std::string nanoseconds(WallTime time) {
  return std::to_string(
      std::chrono::duration_cast<std::chrono::nanoseconds>(time.time_since_epoch()).count());
}

struct ValueJson {
  Json operator()(const std::string& text) const { return {{"stringValue", text}}; }
  Json operator()(std::int64_t number) const { return {{"intValue", std::to_string(number)}}; }
  Json operator()(double number) const { return {{"doubleValue", number}}; }
  Json operator()(bool yes) const { return {{"boolValue", yes}}; }
  Json operator()(const std::vector<std::string>& texts) const {
    Json values = Json::array();
    for (const std::string& text : texts) values.push_back({{"stringValue", text}});
    return {{"arrayValue", {{"values", values}}}};
  }
};

Json attributes_json(const std::vector<SpanAttribute>& attributes) {
  Json all = Json::array();
  for (const SpanAttribute& attribute : attributes)
    all.push_back({{"key", attribute.name}, {"value", std::visit(ValueJson{}, attribute.value)}});
  return all;
}

Json span_json(const Span& span) {
  Json json = {{"traceId", span.trace_id}, {"spanId", span.span_id}};
  if (!span.trace_state.empty()) json["traceState"] = span.trace_state;
  if (!span.parent_id.empty()) json["parentSpanId"] = span.parent_id;
  json["flags"] = kSampled | kSaysWhetherRemote | (span.remote_parent ? kRemote : 0);
  json["name"] = span.name;
  json["kind"] = static_cast<int>(span.kind);
  json["startTimeUnixNano"] = nanoseconds(span.start);
  json["endTimeUnixNano"] = nanoseconds(std::max(span.start, span.end));
  json["attributes"] = attributes_json(span.attributes);
  if (span.failed) json["status"] = {{"message", span.failure}, {"code", kStatusError}};
  return json;
}

namespace zlib = boost::beast::zlib;

constexpr int kFast = 1;  // spans are alike: more effort saves little
constexpr int kWindowBits = 15;
constexpr int kMemoryLevel = 8;

// Magic, method deflate, no flags, no time, fastest, no system.
constexpr char kHeader[] = {'\x1f', '\x8b', 8, 0, 0, 0, 0, 0, 4, '\xff'};

void append_little_endian(std::string& out, std::uint32_t number) {
  for (int byte = 0; byte < 4; ++byte) out += static_cast<char>(number >> (8 * byte));
}

}  // namespace

std::string otlp_url(std::string_view endpoint, std::string_view signal_path) {
  while (endpoint.ends_with('/')) endpoint.remove_suffix(1);
  std::string url(endpoint);
  if (!url.ends_with(signal_path)) url += signal_path;
  return url;
}

http::HttpEndpointConfig otlp_endpoint(const OtlpConfig& config, std::string_view signal_path) {
  http::HttpEndpointConfig endpoint;
  endpoint.url = otlp_url(config.endpoint, signal_path);
  endpoint.headers.emplace_back("Content-Type", Secret("application/json"));
  if (config.compression == OtlpCompression::Gzip)
    endpoint.headers.emplace_back("Content-Encoding", Secret("gzip"));
  for (const auto& [name, value] : config.headers) endpoint.headers.emplace_back(name, value);
  endpoint.proxy = config.proxy;
  endpoint.proxy_user = config.proxy_user;
  endpoint.proxy_password = config.proxy_password;
  endpoint.ca_file = config.ca_file;
  endpoint.connect_timeout = std::min(kConnectTimeout, config.timeout);
  endpoint.first_byte_timeout = config.timeout;
  endpoint.idle_timeout = config.timeout;
  endpoint.total_timeout = config.timeout;
  endpoint.reply_bytes_max = kAnswerBytesMax;
  endpoint.concurrency_max = 1;
  endpoint.queue_max = kQueueMax;
  return endpoint;
}

std::string otlp_body(const OtlpConfig& config, std::string json) {
  return config.compression == OtlpCompression::Gzip ? gzip(json) : json;
}

bool otlp_retryable(int status) {
  return status == 429 || status == 502 || status == 503 || status == 504;
}

std::optional<int> port_of(std::string_view url) {
  std::string server = http::server_of(url);
  const std::size_t colon = server.rfind(':');
  if (colon == std::string::npos || server.find(']', colon) != std::string::npos)
    return std::nullopt;
  int port = 0;
  const char* end = server.data() + server.size();
  const auto [stop, failure] = std::from_chars(server.data() + colon + 1, end, port);
  if (failure != std::errc() || stop != end) return std::nullopt;
  return port;
}

Milliseconds otlp_retry_delay(int tries, std::optional<Milliseconds> asked, std::uint64_t random) {
  if (asked) return std::min(*asked, kLongestAsked);
  const int doublings = std::clamp(tries - 1, 0, 10);
  return http::spread(std::min(kLongestDelay, kFirstDelay * (1 << doublings)), kJitter, random);
}

void Span::set(std::string_view attribute, std::string_view text, std::size_t bytes_max) {
  if (text.size() > bytes_max) {
    std::size_t end = bytes_max;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
    text = text.substr(0, end);
  }
  add(attribute, std::string(text));
}

std::string otlp_request_of(const TraceResource& resource, std::span<const Span> spans) {
  Json all = Json::array();
  for (const Span& span : spans) all.push_back(span_json(span));
  const Json scope = {{"name", resource.scope_name}, {"version", resource.scope_version}};
  const Json of_scope = {{"scope", scope}, {"spans", std::move(all)}};
  const Json of_resource = {{"resource", {{"attributes", attributes_json(resource.attributes)}}},
                            {"scopeSpans", Json::array({of_scope})}};
  const Json request = {{"resourceSpans", Json::array({of_resource})}};
  return request.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::int64_t rejected_spans(std::string_view response) {
  const Json json = Json::parse(response, nullptr, false);
  if (!json.is_object()) return 0;
  const auto partial = json.find("partialSuccess");
  if (partial == json.end() || !partial->is_object()) return 0;
  const auto rejected = partial->find("rejectedSpans");
  if (rejected == partial->end()) return 0;
  if (rejected->is_number_integer())
    return std::max<std::int64_t>(0, rejected->get<std::int64_t>());
  std::int64_t count = 0;
  if (rejected->is_string()) {
    const auto& digits = rejected->get_ref<const std::string&>();
    std::from_chars(digits.data(), digits.data() + digits.size(), count);
  }
  return std::max<std::int64_t>(0, count);
}

std::string gzip(std::string_view body) {
  zlib::deflate_stream stream;
  stream.reset(kFast, kWindowBits, kMemoryLevel, zlib::Strategy::normal);
  std::string out(kHeader, sizeof kHeader);
  const std::size_t begin = out.size();
  out.resize(begin + stream.upper_bound(body.size()) + 16);
  zlib::z_params params;
  params.next_in = body.data();
  params.avail_in = body.size();
  params.next_out = out.data() + begin;
  params.avail_out = out.size() - begin;
  boost::system::error_code error;
  stream.write(params, zlib::Flush::finish, error);
  BA_ASSERT(error == zlib::error::end_of_stream);
  out.resize(begin + params.total_out);
  boost::crc_32_type crc;
  crc.process_bytes(body.data(), body.size());
  append_little_endian(out, crc.checksum());
  append_little_endian(out, static_cast<std::uint32_t>(body.size()));
  return out;
}

}  // namespace ba::trace
