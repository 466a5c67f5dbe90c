#pragma once
// SPDX-License-Identifier: Apache-2.0
// Section `skills`: where skills are, how large they may be, and which tenants have which. Values.

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "pipeline/base/time.hpp"

namespace ba::settings {
class SectionReader;
}  // namespace ba::settings

namespace ba::skills {

/// What is read of the roots; the rest is left out, with a word.
struct SkillLimits {
  int skills_max = 200;                            ///< of one root
  int files_max = 200;                             ///< of one skill
  int depth_max = 8;                               ///< of directories in a skill
  std::int64_t body_bytes_max = 128 * 1024;        ///< of SKILL.md
  std::int64_t resource_bytes_max = 256 * 1024;    ///< of another file that a model may read
  std::int64_t skill_bytes_max = 4 * 1024 * 1024;  ///< of a skill's texts together
  std::int64_t total_bytes_max = 64LL << 20;       ///< of all skills together, held in memory

  friend bool operator==(const SkillLimits&, const SkillLimits&) = default;
};

struct SkillsConfig {
  std::vector<std::string> roots;  ///< directories of skills; of two with a name the first counts
  SkillLimits limits;
  Milliseconds refresh{10'000};  ///< how often the roots are read anew, for new jobs; 0: never
  /// What a tenant may see; one that isn't named sees all that an agent has.
  std::map<std::string, std::vector<std::string>> tenants;

  friend bool operator==(const SkillsConfig&, const SkillsConfig&) = default;
};

void read_skills(settings::SectionReader& in, SkillsConfig& config);

}  // namespace ba::skills
