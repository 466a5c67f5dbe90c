// SPDX-License-Identifier: Apache-2.0
#include "pipeline/text/semantic/normal_url.hpp"

#include <algorithm>
#include <map>
#include <vector>

#include "pipeline/base/lower_case.hpp"
#include "pipeline/text/semantic/normal_text.hpp"

namespace ba {
namespace {

bool letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool digit(char c) { return c >= '0' && c <= '9'; }

int hex_value(char c) {
  if (digit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/// Escapes of unreserved characters undone, the others in upper case (6.2.2.1 and 6.2.2.2).
std::string escapes_normal(std::string_view text) {
  std::string normal;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const int high = text[i] == '%' && i + 2 < text.size() ? hex_value(text[i + 1]) : -1;
    const int low = high >= 0 ? hex_value(text[i + 2]) : -1;
    if (low < 0) {
      normal += text[i];
      continue;
    }
    const char c = static_cast<char>(high * 16 + low);
    if (is_unreserved(c))
      normal += c;
    else
      normal += escaped(c);
    i += 2;
  }
  return normal;
}

/// RFC 3986, 5.2.4, of a path that begins with a slash.
std::string without_dots(std::string_view path) {
  std::vector<std::string_view> segments;
  bool directory = false;  // the path ends in a slash
  for (std::size_t from = 1; from <= path.size();) {
    const std::size_t to = std::min(path.find('/', from), path.size());
    const std::string_view segment = path.substr(from, to - from);
    from = to + 1;
    directory = segment == "." || segment == "..";
    if (segment == ".." && !segments.empty()) segments.pop_back();
    if (!directory) segments.push_back(segment);
  }
  std::string normal;
  for (const std::string_view segment : segments) normal += "/" + std::string(segment);
  return directory || normal.empty() ? normal + "/" : normal;
}

/// The scheme's own port (RFC 9110, 4.2; RFC 6455, 3; RFC 959).
std::string_view own_port(std::string_view scheme) {
  static const std::map<std::string_view, std::string_view> kPorts{
      {"http", "80"}, {"https", "443"}, {"ws", "80"}, {"wss", "443"}, {"ftp", "21"}};
  const auto found = kPorts.find(scheme);
  return found == kPorts.end() ? "" : found->second;
}

/// User and host with the port, unless it is the scheme's own.
std::string authority_normal(std::string_view authority, std::string_view scheme) {
  const std::size_t at = authority.rfind('@');
  const std::size_t host_from = at == std::string_view::npos ? 0 : at + 1;
  const std::string user = escapes_normal(authority.substr(0, host_from));
  std::string_view host = authority.substr(host_from);
  const std::size_t colon = host.rfind(':');
  const bool has_port = colon != std::string_view::npos && host.find(']', colon) == host.npos;
  std::string port;
  if (has_port) {
    const std::string_view number = host.substr(colon + 1);
    if (!number.empty() && number != own_port(scheme)) port = ":" + std::string(number);
    host = host.substr(0, colon);
  }
  return user + escapes_normal(lower_case(host)) + port;
}

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r\n") + 1 - first);
}

bool scheme_name(std::string_view text) {
  return !text.empty() && letter(text[0]) && std::ranges::all_of(text, [](char c) {
    return letter(c) || digit(c) || c == '+' || c == '-' || c == '.';
  });
}

bool printable(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return static_cast<unsigned char>(c) > 0x20; });
}

}  // namespace

bool is_unreserved(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
         c == '.' || c == '_' || c == '~';
}

std::string escaped(char c) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  const auto byte = static_cast<unsigned char>(c);
  return {'%', kDigits[byte >> 4], kDigits[byte & 15]};
}

std::string percent_encoded(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (is_unreserved(c))
      out += c;
    else
      out += escaped(c);
  }
  return out;
}

std::string normal_url(std::string_view given) {
  const std::string url = nfc(trimmed(given));
  const std::size_t colon = url.find("://");
  const std::string_view text = std::string_view(url).substr(0, url.find('#'));
  if (colon == std::string::npos || !scheme_name(text.substr(0, colon)) || !printable(text))
    return url;
  const std::string scheme = lower_case(text.substr(0, colon));
  const std::string_view rest = text.substr(colon + 3);
  const std::string_view authority = rest.substr(0, rest.find_first_of("/?"));
  if (authority.empty()) return url;
  const std::string_view behind = rest.substr(authority.size());
  const std::size_t query_at = std::min(behind.find('?'), behind.size());
  const std::string path = escapes_normal(behind.substr(0, query_at));
  return scheme + "://" + authority_normal(authority, scheme) + without_dots(path) +
         escapes_normal(behind.substr(query_at));
}

}  // namespace ba
