#pragma once
// SPDX-License-Identifier: Apache-2.0
// When a history is compressed, to what, and how. Values.

#include <cstdint>
#include <string>
#include <vector>

#include "pipeline/base/enum_names.hpp"

namespace ba {

enum class CompressionMode { Auto, Truncate, Extract, Summarize };
inline constexpr EnumNames<CompressionMode, 4> kCompressionModeNames{
    {{CompressionMode::Auto, "auto"},
     {CompressionMode::Truncate, "truncate"},
     {CompressionMode::Extract, "extract"},
     {CompressionMode::Summarize, "summarize"}}};

struct CompressionRules {
  CompressionMode mode = CompressionMode::Auto;
  int threshold_percent = 80;    ///< of the window: above it a history is compressed
  int target_percent = 50;       ///< of the window
  int keep_recent_messages = 5;  ///< of truncate
  int keep_recent_rounds = 5;    ///< of extract: these stay complete
  /// What makes a sentence a decision, in lower case.
  std::vector<std::string> decision_words{"decided", "selected", "chose", "确定", "选择"};

  friend bool operator==(const CompressionRules&, const CompressionRules&) = default;
};

}  // namespace ba
