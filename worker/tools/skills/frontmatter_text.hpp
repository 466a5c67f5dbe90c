#pragma once
// SPDX-License-Identifier: Apache-2.0
// Frontmatter as people write it: texts that YAML would need quotes for. Pure; any thread.

#include <string>
#include <string_view>
#include <vector>

namespace ba {

struct TextInPlace {
  int line = 0;  ///< from 1
  std::string key;
};

struct QuotedFrontmatter {
  std::string yaml;  ///< with as many lines as before
  std::vector<TextInPlace> texts;
};

/// Quotes the values of top-level fields that can't be read as they stand ("description: Use when:
/// a thing"), and of the entries of metadata. What may restrict something is never taken for a
/// text: such a field, or one that stands within a value, stays as it is.
QuotedFrontmatter with_quoted_texts(std::string_view yaml);

/// Descriptions and the like that end early, as " #" begins a comment to YAML.
std::vector<TextInPlace> texts_cut_by_comments(std::string_view yaml);

}  // namespace ba
