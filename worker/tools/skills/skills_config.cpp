// SPDX-License-Identifier: Apache-2.0
#include "worker/tools/skills/skills_config.hpp"

#include "worker/settings/section_reader.hpp"

namespace ba::skills {
namespace {
constexpr std::int64_t kMiB = 1024 * 1024;
constexpr std::int64_t kDayMs = 24LL * 3600 * 1000;
}  // namespace

void read_skills(settings::SectionReader& in, SkillsConfig& config) {
  SkillLimits& limits = config.limits;
  in.read("roots", config.roots);
  in.read("refresh_interval_ms", config.refresh, {0, kDayMs});
  in.read("skills_max", limits.skills_max, {1, 10'000});
  in.read("files_max", limits.files_max, {0, 10'000});
  in.read("depth_max", limits.depth_max, {0, 16});
  in.read("body_bytes_max", limits.body_bytes_max, {1024, kMiB});
  in.read("resource_bytes_max", limits.resource_bytes_max, {0, 8 * kMiB});
  in.read("skill_bytes_max", limits.skill_bytes_max, {1024, 8 * kMiB});
  in.read("total_bytes_max", limits.total_bytes_max, {1024, 1024 * kMiB});
  in.entries("tenants", [&](const std::string& tenant, settings::SectionReader& entry) {
    entry.read("skills", config.tenants[tenant]);
  });
  in.at_most("body_bytes_max", limits.body_bytes_max, "skill_bytes_max", limits.skill_bytes_max);
}

}  // namespace ba::skills
