// SPDX-License-Identifier: Apache-2.0
#include "pipeline/text/secret/redaction.hpp"

#include <algorithm>
#include <cctype>

#include "pipeline/text/secret/coded_text.hpp"
#include "pipeline/text/secret/secret.hpp"
#include "pipeline/text/secret/secret_forms.hpp"

namespace ba {
namespace {

constexpr std::size_t kSecretBytesMin = 6;
constexpr int kStepsMax = 3;  // JSON within JSON within JSON

/// No URL and no JSON text writes such a letter in another way (RFC 3986, unreserved).
bool is_plain(char letter) {
  return std::isalnum(static_cast<unsigned char>(letter)) != 0 ||
         std::string_view("-._").find(letter) != std::string_view::npos;
}

std::string longest_plain_run(std::string_view text) {
  std::string_view longest;
  while (!text.empty()) {
    const auto end = std::ranges::find_if_not(text, is_plain);
    const auto size = static_cast<std::size_t>(end - text.begin());
    if (size > longest.size()) longest = text.substr(0, size);
    text.remove_prefix(std::min(size + 1, text.size()));
  }
  return std::string(longest);
}

void sort_once(std::vector<std::string>& texts) {
  std::ranges::sort(texts);
  texts.erase(std::unique(texts.begin(), texts.end()), texts.end());
}

void find_all(const std::vector<std::string>& secrets, const CodedText& text,
              std::vector<SecretSpan>& spans) {
  const std::string_view all = text.text();
  for (const std::string& secret : secrets)
    for (std::size_t at = all.find(secret); at != all.npos; at = all.find(secret, at + 1))
      spans.push_back({text.place(at), text.place(at + secret.size())});
}

/// In order; one for those that overlap.
std::vector<SecretSpan> united(std::vector<SecretSpan> spans) {
  std::ranges::sort(spans, {}, &SecretSpan::begin);
  std::vector<SecretSpan> out;
  for (const SecretSpan& span : spans) {
    if (out.empty() || out.back().end <= span.begin)
      out.push_back(span);
    else
      out.back().end = std::max(out.back().end, span.end);
  }
  return out;
}

}  // namespace

Redaction::Redaction(std::vector<std::string> secrets) : secrets_(std::move(secrets)) {
  for (std::size_t i = 0, given = secrets_.size(); i < given; ++i)
    if (CodedText code(secrets_[i]); code.resolve()) secrets_.emplace_back(code.text());
  std::erase_if(secrets_, [](const std::string& text) { return text.size() < kSecretBytesMin; });
  sort_once(secrets_);
  for (const std::string& secret : secrets_) {
    if (std::ranges::all_of(secret, is_plain)) continue;
    coded_.push_back(secret);
    runs_.push_back(longest_plain_run(secret));
  }
}

Redaction Redaction::of_words(std::vector<std::string> words) {
  Redaction known{{}};
  std::erase(words, "");
  known.secrets_ = std::move(words);
  return known;
}

std::optional<std::string> Redaction::without_known(std::string_view text) const {
  std::vector<SecretSpan> spans;
  CodedText coded(text);
  find_all(secrets_, coded, spans);
  const bool possible = std::ranges::any_of(
      runs_, [text](const std::string& run) { return text.find(run) != text.npos; });
  for (int step = 0; step < kStepsMax && possible && coded.resolve(); ++step)
    find_all(coded_, coded, spans);
  if (spans.empty()) return std::nullopt;
  return masked(text, united(std::move(spans)), kSecretMask);
}

std::optional<std::string> Redaction::cleaned(std::string_view text) const {
  std::optional<std::string> out = without_known(text);
  const auto spans = secret_spans(out ? std::string_view(*out) : text);
  if (!spans.empty()) out = masked(out ? std::string_view(*out) : text, spans, kSecretMask);
  return out;
}

}  // namespace ba
