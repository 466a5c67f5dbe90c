// SPDX-License-Identifier: Apache-2.0
// A SKILL.md says the same whenever it is read; what can be offered has a name, a description and
// storable texts, and comes back from its stored form as it was.
#include "pipeline/text/message/utf8.hpp"
#include "tests/fuzz/targets.hpp"
#include "worker/tools/skills/skill_document.hpp"

void ba::fuzz::skill_document(std::string_view input) {
  skills::SkillDocument document = skills::read_skill_document(input, "SKILL.md", "");
  BA_ASSERT(document.findings == skills::read_skill_document(input, "SKILL.md", "").findings);
  for (const skills::SkillFinding& finding : document.findings) {
    BA_ASSERT(finding.text.starts_with("SKILL.md"));
    BA_ASSERT(!utf8_defect(finding.text));
  }
  if (!document.usable()) return;
  Skill& skill = document.skill;
  BA_ASSERT(!skill.name.empty() && !skill.description.empty());
  BA_ASSERT(!utf8_defect(skill.name) && !utf8_defect(skill.description));
  seal(skill);
  const auto back = skill_from_json(skill_json(skill));
  BA_ASSERT(back && *back == skill);
}
