// SPDX-License-Identifier: Apache-2.0
#include "pipeline/text/secret/redaction.hpp"

#include <algorithm>
#include <charconv>

#include "pipeline/text/secret/secret_forms.hpp"

namespace ba {
namespace {

constexpr std::size_t kSecretBytesMin = 6;
constexpr std::string_view kMask = "***";

/// "%40" is "@". What is no such code stays.
std::string percent_decoded(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size(); ++at) {
    unsigned code = 0;
    const bool whole = text[at] == '%' && at + 2 < text.size();
    const char* digits = text.data() + at + 1;
    if (whole && std::from_chars(digits, digits + 2, code, 16).ptr == digits + 2) {
      out += static_cast<char>(code);
      at += 2;
    } else {
      out += text[at];
    }
  }
  return out;
}

std::string escaped(std::string_view text) {
  std::string out;
  for (const char letter : text) {
    if (letter == '"' || letter == '\\') out += '\\';
    out += letter;
  }
  return out;
}

void replace_all(std::string& text, std::string_view secret) {
  for (std::size_t at = text.find(secret); at != std::string::npos;
       at = text.find(secret, at + kMask.size()))
    text.replace(at, secret.size(), kMask);
}

}  // namespace

Redaction::Redaction(std::vector<std::string> secrets) {
  for (const std::string& secret : secrets)
    for (std::string form : {secret, percent_decoded(secret), escaped(secret)})
      if (form.size() >= kSecretBytesMin) secrets_.push_back(std::move(form));
  // A secret that contains another goes first, so that no rest of it stays.
  std::sort(secrets_.begin(), secrets_.end(), [](const std::string& a, const std::string& b) {
    return a.size() != b.size() ? a.size() > b.size() : a < b;
  });
  secrets_.erase(std::unique(secrets_.begin(), secrets_.end()), secrets_.end());
}

std::optional<std::string> Redaction::without_known(std::string_view text) const {
  std::optional<std::string> out;
  for (const std::string& secret : secrets_) {
    if (text.size() < secret.size() || text.find(secret) == std::string_view::npos) continue;
    if (!out) out.emplace(text);
    replace_all(*out, secret);
  }
  return out;
}

std::optional<std::string> Redaction::cleaned(std::string_view text) const {
  std::optional<std::string> out = without_known(text);
  const auto spans = secret_spans(out ? std::string_view(*out) : text);
  if (!spans.empty()) out = masked(out ? std::string_view(*out) : text, spans, kMask);
  return out;
}

}  // namespace ba
