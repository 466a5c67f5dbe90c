// SPDX-License-Identifier: Apache-2.0
#include "pipeline/text/tokenizer/text_cut.hpp"

#include <algorithm>
#include <array>

namespace ba {
namespace {

/// Joins each match that doesn't follow another one to the part before it.
std::vector<TextPart> merged_with_previous(const std::vector<TextPart>& parts) {
  std::vector<TextPart> merged;
  bool behind_match = false;
  for (const TextPart& part : parts) {
    if (part.matched && !behind_match && !merged.empty())
      merged.back().end = part.end;
    else
      merged.push_back(part);
    behind_match = part.matched;
  }
  return merged;
}

/// The same from the end.
std::vector<TextPart> merged_with_next(std::vector<TextPart> parts) {
  std::vector<TextPart> merged;
  bool before_match = false;
  std::ranges::reverse(parts);
  for (const TextPart& part : parts) {
    if (part.matched && !before_match && !merged.empty())
      merged.back().begin = part.begin;
    else
      merged.push_back(part);
    before_match = part.matched;
  }
  std::ranges::reverse(merged);
  return merged;
}

std::vector<TextPart> contiguous(const std::vector<TextPart>& parts) {
  std::vector<TextPart> joined;
  for (const TextPart& part : parts) {
    if (!joined.empty() && joined.back().matched == part.matched)
      joined.back().end = part.end;
    else
      joined.push_back(part);
  }
  return joined;
}

// The letters that byte-level vocabularies write bytes with: printable ones for themselves, the
// others for the characters from U+0100 on. Source: bytes_to_unicode of
// https://github.com/openai/gpt-2/blob/master/src/encoder.py.

constexpr bool stands_for_itself(unsigned byte) {
  return (byte >= 0x21 && byte <= 0x7e) || (byte >= 0xa1 && byte <= 0xac) || byte >= 0xae;
}

std::array<std::string, 256> make_letters() {
  std::array<std::string, 256> letters;
  unsigned next = 0x100;
  for (unsigned byte = 0; byte < letters.size(); ++byte) {
    const unsigned point = stands_for_itself(byte) ? byte : next++;
    if (point < 0x80)
      letters[byte] = {static_cast<char>(point)};
    else
      letters[byte] = {static_cast<char>(0xc0 | point >> 6),
                       static_cast<char>(0x80 | (point & 63))};
  }
  return letters;
}

/// The letter of each byte, one behind the other, in UTF-8.
std::string byte_letters(std::string_view bytes) {
  static const std::array<std::string, 256> letters = make_letters();
  std::string out;
  out.reserve(bytes.size() + bytes.size() / 4);
  for (const char byte : bytes) out += letters[static_cast<unsigned char>(byte)];
  return out;
}

using Tell = std::function<void(const std::string&)>;

/// What one step makes of a piece, and the steps behind it of that.
struct Steps {
  std::string_view piece;
  std::span<const CutStep> behind;
  const Tell& tell;

  void operator()(const PatternCut& step) const {
    for (const TextPart& part : cut(step, piece))
      for_each_piece(piece.substr(part.begin, part.end - part.begin), behind, tell);
  }
  void operator()(const BlankFirst&) const {
    for_each_piece(piece.starts_with(' ') ? std::string(piece) : " " + std::string(piece), behind,
                   tell);
  }
  void operator()(const BytesAsLetters&) const {
    for_each_piece(byte_letters(piece), behind, tell);
  }
};

}  // namespace

std::vector<TextPart> cut(const PatternCut& how, std::string_view text) {
  std::vector<TextPart> parts = how.pattern.parts(text);
  if (how.inverted)
    for (TextPart& part : parts) part.matched = !part.matched;
  switch (how.behavior) {
    case CutBehavior::Removed:
      std::erase_if(parts, [](const TextPart& part) { return part.matched; });
      break;
    case CutBehavior::Isolated:
      break;
    case CutBehavior::MergedWithPrevious:
      parts = merged_with_previous(parts);
      break;
    case CutBehavior::MergedWithNext:
      parts = merged_with_next(std::move(parts));
      break;
    case CutBehavior::Contiguous:
      parts = contiguous(parts);
      break;
  }
  std::erase_if(parts, [](const TextPart& part) { return part.begin == part.end; });
  return parts;
}

void for_each_piece(std::string_view text, std::span<const CutStep> steps, const Tell& tell) {
  if (text.empty()) return;
  if (steps.empty()) return tell(std::string(text));
  std::visit(Steps{text, steps.subspan(1), tell}, steps.front());
}

}  // namespace ba
