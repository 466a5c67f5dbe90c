// SPDX-License-Identifier: Apache-2.0
#include "worker/settings/masking.hpp"

#include <algorithm>
#include <cctype>
#include <string_view>

#include "pipeline/text/secret/secret.hpp"
#include "pipeline/text/secret/secret_forms.hpp"
#include "storage/libpq/conninfo.hpp"
#include "storage/libpq/pg_url.hpp"
#include "worker/http/url.hpp"

namespace ba::settings {

std::string mask_secrets(const std::string& text) {
  return masked(text, secret_spans(text), kMaskedSecret);
}

std::vector<std::string> secrets_in(const std::string& text) {
  std::vector<std::string> secrets;
  for (const SecretSpan& span : secret_spans(text))
    secrets.push_back(text.substr(span.begin, span.end - span.begin));
  return secrets;
}

namespace {

constexpr std::string_view kColons = "://";
constexpr std::string_view kBlanks = " \t\r\n";
constexpr std::size_t kPieceMin = 6;  // shorter ones are in every line

bool is_scheme(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char letter) {
    return (letter > 0 && std::isalnum(static_cast<unsigned char>(letter))) ||
           std::string_view("+-._").find(letter) != std::string_view::npos;
  });
}

/// "SASL_SSL://k:9092": whatever the scheme, a host, a port and a path.
bool is_plain_url(std::string_view text) {
  const std::size_t colons = text.find(kColons);
  const std::string_view rest = colons == text.npos ? text : text.substr(colons + kColons.size());
  if (rest.find(kColons) != rest.npos) return false;
  return (colons == text.npos || is_scheme(text.substr(0, colons))) &&
         (rest.starts_with('/') ? http::is_http_url("http://h" + std::string(rest))
                                : http::is_http_url("http://" + std::string(rest)));
}

/// A list of them, as of brokers.
bool are_plain_urls(std::string_view text) {
  while (true) {
    const std::size_t comma = std::min(text.find(','), text.size());
    std::string_view one = text.substr(0, comma);
    one.remove_prefix(std::min(one.find_first_not_of(' '), one.size()));
    if (!is_plain_url(one)) return false;
    if (comma == text.size()) return true;
    text.remove_prefix(comma + 1);
  }
}

/// One that begins with its scheme. Any part of a query may be a key.
std::string safe_url(const std::string& text, std::size_t colons) {
  if (storage::is_pg_url(text)) return storage::shown_conninfo(text, kMaskedSecret);
  if (are_plain_urls(text)) return text;
  const std::size_t query = text.find_first_of("?#");
  const bool nobody = text.find('@') == text.npos;
  if (nobody && query != text.npos && is_plain_url(text.substr(0, query)))
    return text.substr(0, query + 1) + kMaskedSecret;
  return text.substr(0, colons + kColons.size()) + kMaskedSecret;
}

/// The word around `colons`, without what ends a sentence.
std::string_view word_at(std::string_view text, std::size_t colons) {
  const std::size_t blank = text.substr(0, colons).find_last_of(" \t\r\n\"'(<[{=,");
  const std::size_t begin = blank == text.npos ? 0 : blank + 1;
  std::size_t end = std::min(text.find_first_of(kBlanks, colons), text.size());
  while (end > begin && std::string_view(".,;:)>\"'").find(text[end - 1]) != text.npos) --end;
  return text.substr(begin, end - begin);
}

/// URLs in other words: all is shown, or what stands before the first that isn't understood.
std::string safe_words(const std::string& text) {
  std::size_t colons = text.find(kColons);
  const bool somebody = text.find('@', colons) != text.npos;
  for (; colons != text.npos; colons = text.find(kColons, colons + 1))
    if (somebody || !is_plain_url(word_at(text, colons)))
      return mask_secrets(text.substr(0, colons)) + std::string(kColons) + kMaskedSecret;
  return mask_secrets(text);
}

/// "user:password@host" without a scheme.
std::string safe_login(const std::string& text) {
  const std::size_t at = text.rfind('@');
  const std::size_t colon = text.find(':');
  const bool login = at != text.npos && colon < at && kBlanks.find(text[colon + 1]) == kBlanks.npos;
  if (login && text.find_first_of(kBlanks, at) == text.npos)
    return text.substr(0, colon + 1) + kMaskedSecret + text.substr(at);
  const auto spans = secret_spans(text);
  if (spans.empty()) return text;
  // Nobody can tell where a secret with a blank ends.
  if (text.find_first_of(kBlanks, spans.front().end) != text.npos)
    return text.substr(0, spans.front().begin) + kMaskedSecret;
  return mask_secrets(text);
}

}  // namespace

std::string safe_text(const std::string& text) {
  const std::size_t colons = text.find(kColons);
  if (colons == text.npos) return safe_login(text);
  return is_scheme(text.substr(0, colons)) ? safe_url(text, colons) : safe_words(text);
}

std::vector<std::string> hidden_parts(const std::string& text) {
  std::vector<std::string> parts = secrets_in(text);
  const std::size_t colons = text.find(kColons);
  const bool unsure = safe_text(text) != text && colons != text.npos && !holds_mask(text);
  if (unsure && text.find('@', colons) != text.npos) {
    std::string rest = text.substr(colons + kColons.size());
    parts.push_back(rest);
    const std::size_t login = rest.find(':');
    rest.resize(rest.rfind('@'));
    rest.erase(0, login < rest.size() ? login + 1 : 0);
    parts.push_back(rest);
    for (std::size_t from = 0; from < rest.size();) {
      const std::size_t end = std::min(rest.find_first_of("/?#@:%&=, \"'", from), rest.size());
      if (end - from >= kPieceMin) parts.push_back(rest.substr(from, end - from));
      from = end + 1;
    }
  }
  std::erase_if(parts, [](const std::string& part) { return part.empty() || is_mask(part); });
  return parts;
}

bool is_mask(const std::string& text) { return text == kMaskedSecret || text == kSecretMask; }

bool holds_mask(const std::string& text) {
  if (text.find(kMaskedSecret) == std::string::npos) return false;
  return text.find("://") != std::string::npos ||
         std::ranges::count(secrets_in(text), kMaskedSecret) > 0;
}

std::string mask_left(const std::string& file_key) {
  return std::string(kMaskedSecret) +
         " stands for a secret that `config print` left out: write the secret itself" +
         (file_key.empty() ? "" : ", or the name of its file as " + file_key);
}

}  // namespace ba::settings
