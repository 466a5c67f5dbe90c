// SPDX-License-Identifier: Apache-2.0
#include "worker/observe/redaction.hpp"

#include <algorithm>
#include <array>
#include <cctype>

namespace ba {
namespace {

constexpr std::size_t kSecretBytesMin = 6;
constexpr std::string_view kMask = "***";
constexpr std::array<std::string_view, 4> kTokenPrefixes{"Bearer ", "bearer ", "Basic ", "sk-"};

bool is_token_char(char letter) {
  return std::isalnum(static_cast<unsigned char>(letter)) ||
         std::string_view("-_.~+/=").find(letter) != std::string_view::npos;
}

bool ends_with(std::string_view text, std::string_view tail) {
  return text.size() >= tail.size() && text.substr(text.size() - tail.size()) == tail;
}

void mask_text(std::string& text, std::string_view secret) {
  for (std::size_t at = text.find(secret); at != std::string::npos;
       at = text.find(secret, at + kMask.size()))
    text.replace(at, secret.size(), kMask);
}

/// "Bearer eyJ…" and "sk-…": what follows the prefix, when it is long enough to be a key.
void mask_tokens(std::string& text) {
  for (const std::string_view prefix : kTokenPrefixes) {
    for (std::size_t at = text.find(prefix); at != std::string::npos;) {
      const std::size_t start = at + prefix.size();
      std::size_t end = start;
      while (end < text.size() && is_token_char(text[end])) ++end;
      const bool own_word = at == 0 || !std::isalnum(static_cast<unsigned char>(text[at - 1]));
      if (own_word && end - start >= 8) text.replace(start, end - start, kMask);
      at = text.find(prefix, start);
    }
  }
}

/// "scheme://user:password@host": the password.
void mask_user_info(std::string& text) {
  for (std::size_t at = text.find("://"); at != std::string::npos; at = text.find("://", at + 3)) {
    const std::size_t start = at + 3;
    const std::size_t end = std::min(text.find_first_of("/?# \"'", start), text.size());
    const std::size_t host = text.substr(0, end).rfind('@');
    const std::size_t colon = text.find(':', start);
    if (host == std::string::npos || host < start || colon >= host) continue;
    text.replace(colon + 1, host - colon - 1, kMask);
  }
}

/// "password=…" of a libpq connection string or a query.
void mask_password_words(std::string& text) {
  constexpr std::string_view kWord = "password=";
  for (std::size_t at = text.find(kWord); at != std::string::npos; at = text.find(kWord, at + 1)) {
    const std::size_t start = at + kWord.size();
    const bool in_quotes = start < text.size() && text[start] == '\'';
    const std::size_t end = in_quotes ? text.find('\'', start + 1) + 1
                                      : std::min(text.find_first_of(" &\"", start), text.size());
    text.replace(start, (end == 0 ? text.size() : end) - start, kMask);
  }
}

}  // namespace

Redaction::Redaction(std::vector<std::string> secrets) {
  for (std::string& secret : secrets)
    if (secret.size() >= kSecretBytesMin) secrets_.push_back(std::move(secret));
  // A secret that contains another goes first, so that no rest of it stays.
  std::sort(secrets_.begin(), secrets_.end(),
            [](const auto& a, const auto& b) { return a.size() > b.size(); });
}

std::string Redaction::clean(std::string text) const {
  for (const std::string& secret : secrets_) mask_text(text, secret);
  mask_tokens(text);
  mask_user_info(text);
  mask_password_words(text);
  return text;
}

bool Redaction::secret_name(std::string_view field) {
  std::string name;
  for (const char letter : field)
    name +=
        letter == '-' ? '_' : static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
  constexpr std::array<std::string_view, 7> kEndings{
      "password", "passwd", "secret", "api_key", "apikey", "authorization", "credentials"};
  const bool token = name == "token" || ends_with(name, "_token");
  return token || std::any_of(kEndings.begin(), kEndings.end(),
                              [&](std::string_view ending) { return ends_with(name, ending); });
}

}  // namespace ba
