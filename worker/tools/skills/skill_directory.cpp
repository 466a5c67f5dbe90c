// SPDX-License-Identifier: Apache-2.0
#include "worker/tools/skills/skill_directory.hpp"

#include <algorithm>
#include <filesystem>

#include "pipeline/text/message/utf8.hpp"

namespace ba::skills {
namespace {

using Severity = SkillFinding::Severity;

constexpr std::size_t kEntriesMax = 20'000;  // of one skill

std::string name_of(const std::string& directory) {
  const auto path = std::filesystem::absolute(directory).lexically_normal();
  return (path.has_filename() ? path : path.parent_path()).filename().string();
}

/// Takes in what lies in one skill's directory.
class Reading {
 public:
  Reading(std::string directory, const SkillLimits& limits)
      : directory_(std::move(directory)), limits_(limits) {}

  SkillDocument read() {
    auto opened = OpenDirectory::open(directory_);
    if (!opened) return fatal(opened.error().message);
    auto text = opened->read(kSkillFile, limits_.body_bytes_max);
    if (!text) return fatal(directory_ + "/" + kSkillFile + ": " + text.error().message);
    document_ = read_skill_document(*text, directory_ + "/" + kSkillFile, name_of(directory_));
    text_bytes_ = static_cast<std::int64_t>(text->size());
    take_in(*opened, "", 0);
    std::ranges::sort(document_.skill.files, {}, &SkillFile::path);
    if (text_bytes_ > limits_.skill_bytes_max)
      find(Severity::Fatal, "",
           "its texts are " + std::to_string(text_bytes_) + " bytes together, more than " +
               std::to_string(limits_.skill_bytes_max) + " (skills.skill_bytes_max)");
    seal(document_.skill);
    return std::move(document_);
  }

 private:
  static SkillDocument fatal(std::string text) {
    return {{}, {{Severity::Fatal, std::move(text)}}};
  }

  void find(Severity severity, const std::string& path, const std::string& what) {
    document_.findings.push_back(
        {severity, directory_ + (path.empty() ? "" : "/" + path) + ": " + what});
  }

  void take_in(const OpenDirectory& directory, const std::string& prefix, int depth) {
    for (const DirectoryEntry& entry : directory.entries()) {
      const std::string path = prefix + entry.name;
      if (path == kSkillFile) continue;
      if (full_ || !counted()) return;
      if (utf8_defect(entry.name) || has_control_character(entry.name))
        find(Severity::Warning, prefix, "has a name that is not one line of UTF-8; it is left out");
      else if (entry.kind == DirectoryEntry::Kind::Directory)
        descend(directory, entry.name, path, depth);
      else if (entry.kind == DirectoryEntry::Kind::File)
        add(directory, entry, path);
      else
        find(Severity::Warning, path, "is a symbolic link or no regular file; it is left out");
    }
  }

  /// Of directories, too: a wide tree of them has no files.
  bool counted() {
    if (++entries_ <= kEntriesMax) return true;
    full_ = true;
    find(Severity::Warning, "",
         "has more than " + std::to_string(kEntriesMax) + " entries; the rest is left out");
    return false;
  }

  void descend(const OpenDirectory& directory, const std::string& name, const std::string& path,
               int depth) {
    if (depth >= limits_.depth_max)
      return find(Severity::Warning, path,
                  "lies deeper than " + std::to_string(limits_.depth_max) +
                      " directories (skills.depth_max); it is left out");
    auto inner = directory.enter(name);
    if (!inner) return find(Severity::Warning, path, inner.error().message + "; it is left out");
    take_in(*inner, path + "/", depth + 1);
  }

  void add(const OpenDirectory& directory, const DirectoryEntry& entry, const std::string& path) {
    std::vector<SkillFile>& files = document_.skill.files;
    if (files.size() >= static_cast<std::size_t>(limits_.files_max)) {
      full_ = true;
      return find(Severity::Warning, "",
                  "has more than " + std::to_string(limits_.files_max) +
                      " files (skills.files_max); the rest is left out");
    }
    SkillFile file{path, entry.bytes, std::nullopt};
    if (entry.bytes <= limits_.resource_bytes_max && text_bytes_ <= limits_.skill_bytes_max) {
      auto text = directory.read(entry.name, limits_.resource_bytes_max);
      if (!text) return find(Severity::Warning, path, text.error().message + "; it is left out");
      file.bytes = static_cast<std::int64_t>(text->size());
      if (utf8_defect(*text)) {
        file.binary = true;
      } else {
        text_bytes_ += file.bytes;
        file.text = std::move(*text);
      }
    } else {
      file.binary = false;
    }
    files.push_back(std::move(file));
  }

  const std::string directory_;
  const SkillLimits& limits_;
  SkillDocument document_;
  std::int64_t text_bytes_ = 0;
  std::size_t entries_ = 0;
  bool full_ = false;
};

std::int64_t bytes_of(const Skill& skill) {
  auto bytes = static_cast<std::int64_t>(skill.body.size());
  for (const SkillFile& file : skill.files)
    if (file.text) bytes += static_cast<std::int64_t>(file.text->size());
  return bytes;
}

/// Takes in root after root.
class Search {
 public:
  explicit Search(const SkillsConfig& config) : config_(config) {}

  FoundSkills search() {
    for (const std::string& root : config_.roots) look_into(root);
    return std::move(result_);
  }

 private:
  void look_into(const std::string& root) {
    auto opened = OpenDirectory::open(root);
    if (!opened) {
      result_.findings.push_back({Severity::Error, "skills.roots: " + opened.error().message});
      return;
    }
    int skills = 0;
    for (const DirectoryEntry& entry : opened->entries()) {
      if (entry.kind == DirectoryEntry::Kind::Other) note_left_out(root, entry.name);
      if (entry.kind != DirectoryEntry::Kind::Directory) continue;
      const auto inner = opened->enter(entry.name);
      if (!inner) continue;
      if (!inner->has_file(kSkillFile)) {
        for (const DirectoryEntry& there : inner->entries())
          if (there.name == kSkillFile) note_left_out(root, entry.name + "/" + kSkillFile);
        continue;
      }
      if (++skills > config_.limits.skills_max) {
        result_.findings.push_back(
            {Severity::Error, root + ": has more than " +
                                  std::to_string(config_.limits.skills_max) +
                                  " skills (skills.skills_max); the rest is left out"});
        return;
      }
      add(root + "/" + entry.name);
    }
  }

  /// It may well be meant for a skill; names that begin with a dot are other programs'.
  void note_left_out(const std::string& root, const std::string& path) {
    if (path.starts_with('.')) return;
    result_.findings.push_back(
        {Severity::Warning,
         root + "/" + path + ": is a symbolic link or no regular file; it is left out"});
  }

  void add(const std::string& directory) {
    FoundSkill found{directory, read_skill_directory(directory, config_.limits), ""};
    const Skill& skill = found.document.skill;
    total_bytes_ += bytes_of(skill);
    if (!found.document.usable())
      found.left_out = "it can't be read as a skill";
    else if (const auto first = places_.find(skill.name); first != places_.end())
      found.left_out = "'" + skill.name + "' is in " + first->second + " already";
    else if (total_bytes_ > config_.limits.total_bytes_max)
      found.left_out = "all skills together are larger than " +
                       std::to_string(config_.limits.total_bytes_max) +
                       " bytes (skills.total_bytes_max)";
    if (found.left_out.empty()) {
      places_.emplace(skill.name, directory);
      result_.skills.emplace(skill.name, std::make_shared<const Skill>(skill));
    } else {
      total_bytes_ -= bytes_of(skill);
    }
    result_.found.push_back(std::move(found));
  }

  const SkillsConfig& config_;
  FoundSkills result_;
  std::map<std::string, std::string> places_;  ///< by name of a skill that is offered
  std::int64_t total_bytes_ = 0;
};

}  // namespace

SkillDocument read_skill_directory(const std::string& directory, const SkillLimits& limits) {
  return Reading(directory, limits).read();
}

FoundSkills find_skills(const SkillsConfig& config) { return Search(config).search(); }

}  // namespace ba::skills
