#pragma once
// SPDX-License-Identifier: Apache-2.0
// The fields of a SKILL.md's frontmatter. Pure; any thread.

#include <string>
#include <vector>

#include "worker/settings/node.hpp"
#include "worker/tools/skills/skill_document.hpp"

namespace ba {

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

}  // namespace ba
