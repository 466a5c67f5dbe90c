#pragma once
// SPDX-License-Identifier: Apache-2.0
// SKILL.md: YAML frontmatter, then Markdown. What the Agent Skills format asks of it is an error
// here, as the format's reference validator (skills-ref) has it; a skill is offered all the same
// where what is wrong changes nothing of what it is. Pure; any thread.

#include <string>
#include <string_view>
#include <vector>

#include "pipeline/core/skill/skill.hpp"

namespace ba {

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

}  // namespace ba
