#pragma once
// SPDX-License-Identifier: Apache-2.0
// A skill as it was read: what its SKILL.md says, and its other files. Known by its hash, under
// which the ledger keeps it for the jobs that use it. Values, shared by the jobs of a process and
// never changed; any thread.

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pipeline/base/error.hpp"

namespace ba {

/// A file of a skill, beside SKILL.md.
struct SkillFile {
  std::string path;  ///< below the skill's directory
  std::int64_t bytes = 0;
  std::optional<std::string> text;  ///< none: no text, or larger than what is read
  /// Of one without text: whether it was read, and is no UTF-8 text. None: stored by a worker that
  /// didn't say.
  std::optional<bool> binary{};

  friend bool operator==(const SkillFile&, const SkillFile&) = default;
};

struct Skill {
  std::string name;
  std::string description;
  std::string license;
  std::string compatibility;
  std::map<std::string, std::string> metadata;
  std::vector<std::string> capabilities;
  std::optional<std::vector<std::string>> allowed_tools;  ///< none: all that there were
  std::string model;                                      ///< a configured one; empty: no other
  bool disable_model_invocation = false;                  ///< only a job may activate it
  std::string body;                                       ///< Markdown
  std::vector<SkillFile> files;                           ///< in order of their paths
  std::string hash;                                       ///< SHA-256 of all the rest, in hex

  friend bool operator==(const Skill&, const Skill&) = default;
};

/// Skills by name.
using SkillSet = std::map<std::string, std::shared_ptr<const Skill>>;

/// The version of skill_json(), "major.minor".
inline constexpr const char* kSkillSchemaVersion = "1.0";

/// All of it but the hash, in one form, and the version of that.
std::string skill_json(const Skill& skill);

/// What skill_json() wrote, with its hash; without a version it is 1.0. Corrupt when it is of a
/// newer major version, when it is no such text, or has one that no message could hold (NUL).
Result<Skill> skill_from_json(std::string_view json);

/// Gives it the hash of what it holds.
void seal(Skill& skill);

/// Level 1: what a system prompt says of those that a model may activate; empty when there is none.
/// The same skills give the same bytes.
std::string skill_catalogue(const SkillSet& skills);

/// As skills are written for a model: with &, <, > and quotes as XML has them.
std::string markup_escaped(std::string_view text);

/// "<name>text</name>" and the end of the line.
std::string markup_element(std::string_view name, std::string_view text);

/// The skills that there are, and who may have which.
struct SkillOffers {
  SkillSet skills;
  std::map<std::string, std::vector<std::string>> agents;   ///< "*": all; not named: none
  std::map<std::string, std::vector<std::string>> tenants;  ///< not named: all that the agent has
};

/// What a job of that agent and tenant may have.
SkillSet offered_skills(const SkillOffers& offers, const std::string& agent,
                        const std::string& tenant);

}  // namespace ba
