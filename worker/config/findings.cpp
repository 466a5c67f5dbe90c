// SPDX-License-Identifier: Apache-2.0
#include "worker/config/findings.hpp"

#include <cstdio>
#include <cstring>
#include <string_view>
#include <utility>

namespace ba {
namespace {

std::string line_of(const settings::Origin& origin, const std::string& key,
                    const std::string& what) {
  std::string line = origin.text() + ": ";
  if (!key.empty()) line += key + ": ";
  return line + what;
}

/// Where the password stands: [first, second). Empty range: there is none.
std::pair<std::size_t, std::size_t> password_range(std::string_view url) {
  if (const std::size_t scheme = url.find("://"); scheme != std::string_view::npos) {
    const std::size_t start = scheme + 3;
    const std::size_t end = std::min(url.find_first_of("/?#", start), url.size());
    const std::size_t at = url.substr(0, end).rfind('@');
    if (at != std::string_view::npos && at >= start) {
      const std::size_t colon = url.find(':', start);
      if (colon < at) return {colon + 1, at};
    }
    const std::size_t query = url.find("password=", end);
    if (query == std::string_view::npos) return {0, 0};
    return {query + 9, std::min(url.find('&', query), url.size())};
  }
  const std::size_t key = url.find("password=");
  if (key == std::string_view::npos) return {0, 0};
  const std::size_t start = key + 9;
  const bool is_quoted = start < url.size() && url[start] == '\'';
  if (is_quoted) return {start + 1, std::min(url.find('\'', start + 1), url.size())};
  return {start, std::min(url.find(' ', start), url.size())};
}

/// Forms that password_range() doesn't read as libpq does (spaces around `=`, escapes, capitals, an
/// unescaped slash): nothing behind such a password is shown.
std::string mask_odd_forms(const std::string& shown) {
  std::string lower = shown;
  for (char& letter : lower)
    if (letter >= 'A' && letter <= 'Z') letter = static_cast<char>(letter - 'A' + 'a');
  for (std::size_t at = lower.find("password"); at != lower.npos;
       at = lower.find("password", at + 1)) {
    const std::size_t equals = lower.find_first_not_of(' ', at + 8);
    if (equals == lower.npos || lower[equals] != '=') continue;
    const std::size_t value = lower.find_first_not_of(" '", equals + 1);
    if (value == lower.npos) break;
    if (shown.compare(value, std::strlen(kMaskedSecret), kMaskedSecret) == 0) continue;
    return shown.substr(0, value) + kMaskedSecret;
  }
  const std::size_t scheme = shown.find("://");
  const std::size_t at = shown.rfind('@');
  if (scheme == shown.npos || at == shown.npos || at < scheme + 3) return shown;
  const std::size_t colon = shown.find(':', scheme + 3);
  if (colon >= at) return shown;
  return shown.substr(0, colon + 1) + kMaskedSecret + shown.substr(at);
}

}  // namespace

std::string Setting::key() const {
  std::string out;
  for (const std::string& part : path) out += (out.empty() ? "" : ".") + part;
  return out;
}

void Findings::error(const settings::Origin& origin, const std::string& key,
                     const std::string& what) {
  errors.push_back(line_of(origin, key, what));
}

void Findings::warning(const settings::Origin& origin, const std::string& key,
                       const std::string& what) {
  warnings.push_back(line_of(origin, key, what));
}

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char letter : text) {
    switch (letter) {
      case '"':
        out += "\\\"";
        break;
      case '\\':
        out += "\\\\";
        break;
      case '\n':
        out += "\\n";
        break;
      case '\t':
        out += "\\t";
        break;
      case '\r':
        out += "\\r";
        break;
      default:
        if (static_cast<unsigned char>(letter) < 0x20 || letter == 0x7f) {
          char code[8];
          std::snprintf(code, sizeof code, "\\u%04x", static_cast<unsigned>(letter));
          out += code;
        } else {
          out += letter;
        }
    }
  }
  return out + "\"";
}

std::string mask_password(const std::string& url) {
  const auto [start, end] = password_range(url);
  const bool escaped = url.find('\\') != url.npos;
  const std::string shown =
      start < end && !escaped ? url.substr(0, start) + kMaskedSecret + url.substr(end) : url;
  return mask_odd_forms(shown);
}

std::string password_in(const std::string& url) {
  const auto [start, end] = password_range(url);
  return start < end ? url.substr(start, end - start) : std::string();
}

}  // namespace ba
