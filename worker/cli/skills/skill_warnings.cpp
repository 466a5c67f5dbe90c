// SPDX-License-Identifier: Apache-2.0
#include "worker/cli/skills/skill_warnings.hpp"

namespace ba::cli {
namespace {

bool names_a_key(const std::string& word) {
  return word.starts_with("skills.roots: ") || word.starts_with("skills.tenants.") ||
         word.starts_with("agents.");
}

}  // namespace

skills::SkillReview skills_of(const config::LoadedConfig& loaded) {
  skills::SkillReview review = tools::review_skills(loaded.config);
  std::set<std::string> placed;
  for (const std::string& word : review.words) {
    const std::string place =
        names_a_key(word) ? loaded.findings.origin_of(word.substr(0, word.find(':'))).text() + ": "
                          : "";
    placed.insert(place + word);
  }
  review.words = std::move(placed);
  return review;
}

}  // namespace ba::cli
