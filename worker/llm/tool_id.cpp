// SPDX-License-Identifier: Apache-2.0
#include "worker/llm/tool_id.hpp"

#include <algorithm>
#include <cstdint>

#include "pipeline/text/semantic/semantic_key.hpp"

namespace ba::llm {
namespace {

constexpr std::string_view kMarker = "hex-id_";
constexpr std::string_view kHashMarker = "hash-id_";
constexpr std::size_t kShortWordBytesMax = 40;  // OpenAI: tool_call_id of chat completions
constexpr std::size_t kHashDigits = 24;
constexpr std::size_t kWordBytesMax = 64;  // OpenAI: call_id of Responses
constexpr std::size_t kMistralDigits = 9;
constexpr std::size_t kNameBytesMax = 64;
constexpr std::string_view kDigits = "0123456789abcdef";

bool letter_or_digit(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

bool of_word(char c) { return letter_or_digit(c) || c == '_' || c == '-'; }

std::size_t bytes_max(IdRule rule) {
  return rule == IdRule::Word ? kWordBytesMax : kShortWordBytesMax;
}

/// Ours, so that no id of a model is taken for one that was rewritten.
bool marked(std::string_view id) { return id.starts_with(kMarker) || id.starts_with(kHashMarker); }

std::string in_hexadecimal(std::string_view id) {
  std::string wire(kMarker);
  for (const char c : id) {
    const auto byte = static_cast<unsigned char>(c);
    wire += kDigits[byte >> 4];
    wire += kDigits[byte & 15];
  }
  return wire;
}

std::string of_hash(std::string_view text) {
  return std::string(kHashMarker) + sha256_hex_of(text).substr(0, kHashDigits);
}

/// 52 bits of the hash.
std::string nine_of_hash(std::string_view id) {
  constexpr std::string_view kLetters =
      "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
  constexpr int kHexDigits = 13;
  std::uint64_t bits = 0;
  for (const char digit : sha256_hex_of(id).substr(0, kHexDigits))
    bits = bits * 16 + kDigits.find(digit);
  std::string wire(kMistralDigits, '0');
  for (char& letter : wire) {
    letter = kLetters[bits % kLetters.size()];
    bits /= kLetters.size();
  }
  return wire;
}

}  // namespace

IdRule chat_id_rule(LlmQuirks quirks) {
  return quirks == LlmQuirks::Mistral ? IdRule::NineLettersOrDigits : IdRule::ShortWord;
}

bool fits(std::string_view id, IdRule rule) {
  switch (rule) {
    case IdRule::Word:
    case IdRule::ShortWord:
      return !marked(id) && id.size() <= bytes_max(rule) && std::ranges::all_of(id, of_word);
    case IdRule::NineLettersOrDigits:
      return id.size() == kMistralDigits && std::ranges::all_of(id, letter_or_digit);
  }
  return false;
}

std::string wire_tool_id(std::string_view id, IdRule rule) {
  if (fits(id, rule)) return std::string(id);
  if (rule == IdRule::NineLettersOrDigits) return nine_of_hash(id);
  std::string wire = in_hexadecimal(id);
  if (wire.size() <= bytes_max(rule)) return wire;
  return of_hash(id);
}

void WireToolIds::add(const std::string& id, bool own) {
  Use& use = uses_[id];
  text_bytes_ += use.times == 0 ? id.size() : 0;
  text_bytes_ -= use.wire.size();
  const bool again = ++use.times > 1 && rule_ == IdRule::Word;
  if (own)
    use.wire = id;
  else if (again)
    use.wire = of_hash(id + "\n" + std::to_string(use.times));
  else
    use.wire = wire_tool_id(id, rule_);
  text_bytes_ += use.wire.size();
}

std::string WireToolIds::wire(const std::string& id) const {
  const auto use = uses_.find(id);
  return use != uses_.end() ? use->second.wire : wire_tool_id(id, rule_);
}

std::string wire_tool_name(std::string_view name) {
  std::string wire(name.substr(0, kNameBytesMax));
  std::replace_if(
      wire.begin(), wire.end(), [](char c) { return !of_word(c); }, '_');
  return wire.empty() ? "_" : wire;
}

}  // namespace ba::llm
