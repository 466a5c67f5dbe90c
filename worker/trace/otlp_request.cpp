// SPDX-License-Identifier: Apache-2.0
#include "worker/trace/otlp_request.hpp"

#include <algorithm>
#include <charconv>

#include "worker/http/retry_wait.hpp"
#include "worker/http/url.hpp"
#include "worker/trace/gzip.hpp"

namespace ba {
namespace {

constexpr Milliseconds kConnectTimeout{5'000};
constexpr std::int64_t kAnswerBytesMax = 64 * 1024;
constexpr int kQueueMax = 1;

constexpr Milliseconds kFirstDelay{1'000};
constexpr Milliseconds kLongestDelay{30'000};
constexpr Milliseconds kLongestAsked{60'000};
constexpr double kJitter = 0.5;

}  // namespace

std::string otlp_url(std::string_view endpoint, std::string_view signal_path) {
  while (endpoint.ends_with('/')) endpoint.remove_suffix(1);
  std::string url(endpoint);
  if (!url.ends_with(signal_path)) url += signal_path;
  return url;
}

HttpEndpointConfig otlp_endpoint(const OtlpConfig& config, std::string_view signal_path) {
  HttpEndpointConfig endpoint;
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
  std::string server = server_of(url);
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
  return spread(std::min(kLongestDelay, kFirstDelay * (1 << doublings)), kJitter, random);
}

}  // namespace ba
