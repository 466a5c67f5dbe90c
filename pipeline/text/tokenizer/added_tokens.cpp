// SPDX-License-Identifier: Apache-2.0
#include "pipeline/text/tokenizer/added_tokens.hpp"

#include <algorithm>

namespace ba {
namespace {

/// Of words, as the package has it (UTS #18, annex C); Oniguruma's own has all numbers, too.
constexpr const char* kWord = R"([\p{Alphabetic}\p{M}\p{Nd}\p{Pc}\p{Join_Control}])";

bool continues_character(char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; }

/// The character that begins at `at`; empty at the end.
std::string_view character_at(std::string_view text, std::size_t at) {
  std::size_t end = std::min(at + 1, text.size());
  while (end < text.size() && continues_character(text[end])) ++end;
  return text.substr(at, end - at);
}

/// The one that ends there; empty at the beginning.
std::string_view character_before(std::string_view text, std::size_t at) {
  std::size_t begin = at == 0 ? 0 : at - 1;
  while (begin > 0 && continues_character(text[begin])) --begin;
  return text.substr(begin, at - begin);
}

bool is(const TextPattern& kind, std::string_view character) {
  const std::vector<TextPart> parts = kind.parts(character);
  return !parts.empty() && parts.front().matched;
}

}  // namespace

AddedTokens::AddedTokens(std::vector<AddedToken> tokens)
    : word_(TextPattern::compiled(kWord).value()),
      white_space_(TextPattern::compiled("\\s").value()) {
  std::ranges::stable_sort(tokens, std::ranges::greater{},
                           [](const AddedToken& token) { return token.content.size(); });
  for (AddedToken& token : tokens) {
    const auto first = static_cast<unsigned char>(token.content.front());
    by_first_byte_[first].push_back(std::move(token));
  }
}

const AddedToken* AddedTokens::longest_at(std::string_view text, std::size_t at) const {
  const std::string_view rest = text.substr(at);
  const auto& tokens = by_first_byte_[static_cast<unsigned char>(rest.front())];
  const auto found = std::ranges::find_if(
      tokens, [&](const AddedToken& token) { return rest.starts_with(token.content); });
  return found == tokens.end() ? nullptr : &*found;
}

bool AddedTokens::stands_alone(std::string_view text, TextPart place) const {
  return !is(word_, character_before(text, place.begin)) &&
         !is(word_, character_at(text, place.end));
}

TextPart AddedTokens::with_white_space(std::string_view text, TextPart place,
                                       const AddedToken& token, std::size_t behind_last) const {
  while (token.lstrip && place.begin > behind_last) {
    const std::string_view character = character_before(text, place.begin);
    if (!is(white_space_, character)) break;
    place.begin -= character.size();
  }
  while (token.rstrip && place.end < text.size()) {
    const std::string_view character = character_at(text, place.end);
    if (!is(white_space_, character)) break;
    place.end += character.size();
  }
  return place;
}

AddedTokensFound AddedTokens::find(std::string_view text) const {
  AddedTokensFound found;
  std::size_t behind_last = 0;
  for (std::size_t at = 0; at < text.size();) {
    const AddedToken* const token = longest_at(text, at);
    if (token == nullptr) {
      ++at;
      continue;
    }
    const TextPart matched{at, at + token->content.size(), true};
    at = matched.end;
    if (token->single_word && !stands_alone(text, matched)) continue;
    const TextPart place = with_white_space(text, matched, *token, behind_last);
    if (place.begin > behind_last)
      found.between.push_back(text.substr(behind_last, place.begin - behind_last));
    ++found.count;
    at = behind_last = place.end;
  }
  if (behind_last < text.size()) found.between.push_back(text.substr(behind_last));
  return found;
}

}  // namespace ba
