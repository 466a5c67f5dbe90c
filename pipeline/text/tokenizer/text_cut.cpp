// SPDX-License-Identifier: Apache-2.0
#include "pipeline/text/tokenizer/text_cut.hpp"

#include <algorithm>

#include "pipeline/text/tokenizer/byte_letters.hpp"

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
