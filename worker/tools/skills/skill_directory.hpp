// SPDX-License-Identifier: Apache-2.0
#pragma once
// Reads skills from directories: strictly what is below them. No symbolic link is followed, no
// device, pipe or socket opened; names that begin with a dot are left out. Blocking; any thread.

#include <cstdint>
#include <string>
#include <vector>

#include "pipeline/base/error.hpp"
#include "worker/tools/base/descriptor.hpp"
#include "worker/tools/skills/skill_document.hpp"
#include "worker/tools/skills/skills_config.hpp"

namespace ba::skills {

struct DirectoryEntry {
  enum class Kind { File, Directory, Other };
  std::string name;
  Kind kind = Kind::Other;
  std::int64_t bytes = 0;  ///< of a file
};

/// An open directory, and what is right below it: each step by the descriptor of the one before, so
/// that nothing that is renamed or linked meanwhile leads elsewhere. Errors are for a log, without
/// the path.
class OpenDirectory {
 public:
  /// NotFound, PermissionDenied, …; the message names the path. A link in the path is followed: it
  /// is the configuration's own.
  static Result<OpenDirectory> open(const std::string& path);

  /// In order of their names, without those that begin with a dot; at most ten thousand.
  std::vector<DirectoryEntry> entries() const;

  /// A directory right below, not through a link.
  Result<OpenDirectory> enter(const std::string& name) const;

  bool has_file(const std::string& name) const;

  /// A regular file right below, not through a link, of at most so many bytes.
  Result<std::string> read(const std::string& name, std::int64_t bytes_max) const;

 private:
  explicit OpenDirectory(tools::Descriptor descriptor) : descriptor_(std::move(descriptor)) {}
  tools::Descriptor descriptor_;
};

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

}  // namespace ba::skills
