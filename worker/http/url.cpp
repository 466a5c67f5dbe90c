// SPDX-License-Identifier: Apache-2.0
#include "worker/http/url.hpp"

#include <algorithm>

#include "pipeline/base/lower_case.hpp"
#include "pipeline/text/secret/secret.hpp"

namespace ba::http {
namespace {

/// The part after the scheme, or "" when there is no scheme that is allowed.
std::string_view after_scheme(std::string_view url) {
  for (const std::string_view scheme : {"http://", "https://"})
    if (url.substr(0, scheme.size()) == scheme) return url.substr(scheme.size());
  return {};
}

bool is_port(std::string_view text) {
  return !text.empty() && text.size() <= 5 &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

bool is_authority(std::string_view text) {
  const auto bracket = text.rfind(']');
  const auto colon = text.rfind(':');
  if (colon == std::string_view::npos || (bracket != text.npos && colon < bracket))
    return !text.empty();
  return colon > 0 && is_port(text.substr(colon + 1));
}

std::string_view without_slashes(std::string_view url) {
  while (!url.empty() && url.back() == '/') url.remove_suffix(1);
  return url;
}

}  // namespace

bool is_http_url(std::string_view text) {
  const std::string_view rest = after_scheme(text);
  const bool plain = std::all_of(rest.begin(), rest.end(), [](char c) {
    return c > ' ' && c < 0x7f && c != '@' && c != '?' && c != '#' && c != '\\';
  });
  return plain && is_authority(rest.substr(0, rest.find('/')));
}

std::string shown_url(std::string_view text) {
  const std::size_t colons = text.find("://");
  const std::string_view scheme = text.substr(0, colons == text.npos ? 0 : colons + 3);
  const bool is_scheme = std::all_of(scheme.begin(), scheme.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || c == ':' || c == '/';
  });
  const std::string_view rest = text.substr(scheme.size());
  const bool plain = is_http_url("http://" + std::string(rest));
  if (is_scheme && plain && (!scheme.empty() || rest.find(':') != rest.npos))
    return std::string(text);
  return (is_scheme ? std::string(scheme) : "").append(kSecretMask);
}

std::string protection_of(std::string_view url) {
  const bool https = url.substr(0, 8) == "https://";
  return https ? "encrypted (TLS), certificate and host name verified" : "not encrypted";
}

std::string server_of(std::string_view url) {
  const std::string_view rest = after_scheme(url);
  const std::size_t scheme = url.size() - rest.size();
  return std::string(url.substr(0, scheme + std::min(rest.find('/'), rest.size())));
}

bool same_server(std::string_view left, std::string_view right) {
  const auto whole = [](std::string_view url) {
    std::string server = lower_case(server_of(url));
    const std::size_t host = after_scheme(server).data() - server.data();
    const bool has_port = server.find(':', std::max(host, server.rfind(']') + 1)) != server.npos;
    if (!has_port) server += server.starts_with("https:") ? ":443" : ":80";
    return server;
  };
  return whole(left) == whole(right);
}

std::string api_url(std::string_view base_url, std::string_view path) {
  const std::string_view base = without_slashes(base_url);
  std::string url(base);
  if (after_scheme(base).find('/') == std::string_view::npos) url += "/v1";
  url += path;
  return url;
}

std::string server_url(std::string_view base_url, std::string_view path) {
  constexpr std::string_view kApi = "/v1";
  std::string_view base = without_slashes(base_url);
  if (base.size() >= kApi.size() && base.substr(base.size() - kApi.size()) == kApi)
    base = without_slashes(base.substr(0, base.size() - kApi.size()));
  return std::string(base) + std::string(path);
}

}  // namespace ba::http
