#pragma once
// SPDX-License-Identifier: Apache-2.0
// How a tokenizer file cuts a text into the pieces that are encoded each for itself: its
// pre-tokenizer, step by step. Source: https://huggingface.co/docs/tokenizers/api/pre-tokenizers
// and what the package does where that is silent. One thread at a time.

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "pipeline/base/enum_names.hpp"
#include "pipeline/text/tokenizer/text_pattern.hpp"

namespace ba {

/// What becomes of a match.
enum class CutBehavior { Removed, Isolated, MergedWithPrevious, MergedWithNext, Contiguous };
inline constexpr EnumNames<CutBehavior, 5> kCutBehaviorNames{
    {{CutBehavior::Removed, "Removed"},
     {CutBehavior::Isolated, "Isolated"},
     {CutBehavior::MergedWithPrevious, "MergedWithPrevious"},
     {CutBehavior::MergedWithNext, "MergedWithNext"},
     {CutBehavior::Contiguous, "Contiguous"}}};

/// Cuts at what the pattern matches; inverted, at what is between.
struct PatternCut {
  TextPattern pattern;
  CutBehavior behavior = CutBehavior::Isolated;
  bool inverted = false;
};

/// Puts a blank before what doesn't begin with one.
struct BlankFirst {};

/// Writes each byte as its letter.
struct BytesAsLetters {};

using CutStep = std::variant<PatternCut, BlankFirst, BytesAsLetters>;

/// The parts that stay, in order; none is empty.
std::vector<TextPart> cut(const PatternCut& how, std::string_view text);

/// Tells each piece that is left after all steps, in order.
void for_each_piece(std::string_view text, std::span<const CutStep> steps,
                    const std::function<void(const std::string&)>& tell);

}  // namespace ba
