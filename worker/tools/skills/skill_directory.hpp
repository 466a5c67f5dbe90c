#pragma once
// SPDX-License-Identifier: Apache-2.0
// Reads skills from directories: strictly what is below them. No symbolic link is followed, no
// device, pipe or socket opened; names that begin with a dot are left out. Blocking; any thread.

#include <string>
#include <vector>

#include "worker/config/skills_section.hpp"
#include "worker/tools/skills/skill_document.hpp"

namespace ba {

inline constexpr const char* kSkillFile = "SKILL.md";

/// The skill of one directory, with its files and its hash.
SkillDocument read_skill_directory(const std::string& directory, const SkillLimits& limits);

/// One directory that has a SKILL.md, as it was found.
struct FoundSkill {
  std::string directory;
  SkillDocument document;
  std::string left_out;  ///< why it isn't offered; empty: it is
};

struct FoundSkills {
  SkillSet skills;                     ///< that are offered
  std::vector<FoundSkill> found;       ///< all, in order of the roots and of their names
  std::vector<SkillFinding> findings;  ///< about the roots themselves
};

/// All of the roots. Of two with a name the first one counts.
FoundSkills find_skills(const SkillsConfig& config);

}  // namespace ba
