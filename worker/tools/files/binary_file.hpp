#pragma once
// SPDX-License-Identifier: Apache-2.0
// Files that hold no text, known by their first bytes: read as text, a workbook would be pages of
// signs that a model takes for data. Pure; any thread.

#include <optional>
#include <string_view>

namespace ba {

/// What such a file is, for a sentence: "an Excel workbook (or another zip archive)". None: none
/// of the formats that are known.
std::optional<std::string_view> binary_kind(std::string_view bytes);

}  // namespace ba
