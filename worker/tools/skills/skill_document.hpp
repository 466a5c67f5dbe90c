// SPDX-License-Identifier: Apache-2.0
#pragma once
// SKILL.md: YAML frontmatter (also as people write it: texts that YAML would need quotes for), then
// Markdown. What the Agent Skills format asks of it is an error here, as the format's reference
// validator (skills-ref) has it; a skill is offered all the same where what is wrong changes
// nothing of what it is. Pure; any thread.

#include <string>
#include <string_view>
#include <vector>

#include "pipeline/core/skill/skill.hpp"
#include "worker/settings/node.hpp"

namespace ba::skills {

struct SkillFinding {
  enum class Severity {
    Warning,  ///< legal, and worth a word
    Error,    ///< not what the format allows
    Fatal,    ///< the same, and it can't be offered
  };
  Severity severity = Severity::Error;
  std::string text;  ///< "<file>:<line>: <key>: <what is wrong and what is allowed>"

  friend bool operator==(const SkillFinding&, const SkillFinding&) = default;
};

struct SkillDocument {
  Skill skill;  ///< without other files and without a hash
  std::vector<SkillFinding> findings;

  bool usable() const;  ///< it can be offered
  bool valid() const;   ///< it is what the format allows
};

/// `file` is the name that stands in findings; `directory` the one that the skill is to be named
/// after, empty for none.
SkillDocument read_skill_document(std::string_view text, const std::string& file,
                                  const std::string& directory);

struct SkillPlace {
  std::string file;       ///< in findings
  std::string directory;  ///< that the skill is to be named after; empty: any
};

/// Into the document's skill and findings. What the format has no field for stands in its
/// `metadata`: capabilities, model, disable-model-invocation. At the top, where other clients have
/// them, they are read too, and an error.
void read_frontmatter(const settings::Node& root, const SkillPlace& place, SkillDocument& document);

/// Whether a field of this name, in whatever spelling, restricts what a skill or a model may do.
bool may_restrict(std::string_view key);

/// The same, or a field of the format, or one that other clients have at the top.
bool is_field(std::string_view key);

/// The names in an `allowed-tools`: separated by white space or commas, not inside parentheses.
std::vector<std::string> tool_names_in(std::string_view text);

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

}  // namespace ba::skills
