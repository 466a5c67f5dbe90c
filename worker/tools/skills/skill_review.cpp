// SPDX-License-Identifier: Apache-2.0
#include "worker/tools/skills/skill_review.hpp"

#include "pipeline/base/joined.hpp"
#include "pipeline/base/nearest_word.hpp"

namespace ba::skills {
namespace {

/// Takes skills out that switch to a model that isn't there.
void drop_without_model(const std::set<std::string>& models, SkillReview& review) {
  for (auto skill = review.skills.begin(); skill != review.skills.end();) {
    const std::string& model = skill->second->model;
    if (model.empty() || models.contains(model)) {
      ++skill;
      continue;
    }
    const auto near = nearest_word(model, {models.begin(), models.end()});
    review.words.insert("skill '" + skill->first + "' is not offered: it switches to model '" +
                        model + "', which is not under llm.models" +
                        (near ? "; did you mean '" + *near + "'?" : "") +
                        " (there are: " + joined_or_none(models) + ")");
    skill = review.skills.erase(skill);
  }
}

}  // namespace

SkillReview review_skills(FoundSkills found, const std::set<std::string>& models) {
  SkillReview review;
  review.skills = std::move(found.skills);
  for (const SkillFinding& finding : found.findings) review.words.insert(finding.text);
  for (const FoundSkill& skill : found.found) {
    for (const SkillFinding& finding : skill.document.findings) review.words.insert(finding.text);
    if (!skill.left_out.empty()) review.words.insert(skill.directory + ": " + skill.left_out);
  }
  drop_without_model(models, review);
  return review;
}

}  // namespace ba::skills
