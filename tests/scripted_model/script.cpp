// SPDX-License-Identifier: Apache-2.0
#include "tests/scripted_model/script.hpp"

#include <re2/re2.h>

#include <fstream>
#include <sstream>

#include "tests/scripted_model/script_reader.hpp"

namespace ba::scripted {

namespace {

bool match_regex(const re2::RE2& regex, const std::string& question,
                 std::vector<std::string>& groups) {
  std::vector<re2::StringPiece> found(static_cast<std::size_t>(regex.NumberOfCapturingGroups()) +
                                      1);
  if (!regex.Match(question, 0, question.size(), re2::RE2::UNANCHORED, found.data(),
                   static_cast<int>(found.size()))) {
    return false;
  }
  groups.clear();
  for (const re2::StringPiece& group : found) groups.emplace_back(group.data(), group.size());
  return true;
}

bool matches(const ScriptEntry& entry, const std::string& question,
             std::vector<std::string>& groups) {
  switch (entry.match) {
    case ScriptEntry::Match::Exact:
      return question == entry.when;
    case ScriptEntry::Match::Prefix:
      return question.starts_with(entry.when);
    case ScriptEntry::Match::Regex:
      return match_regex(*entry.regex, question, groups);
  }
  return false;
}

}  // namespace

ScriptEntry::ScriptEntry() = default;
ScriptEntry::ScriptEntry(ScriptEntry&&) noexcept = default;
ScriptEntry::~ScriptEntry() = default;

Script::Script() = default;
Script::Script(Script&&) noexcept = default;
Script::~Script() = default;

Result<void> Script::add(const std::string& text, const std::string& name) {
  Result<std::vector<ScriptEntry>> entries = read_script(text, name);
  if (entries.has_error()) return entries.error();
  for (ScriptEntry& entry : *entries) {
    if (entry.match == ScriptEntry::Match::Exact) exact_.emplace(entry.when, entries_.size());
    entries_.push_back(std::make_unique<ScriptEntry>(std::move(entry)));
  }
  return {};
}

Result<void> Script::add_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  if (!file) return invalid_argument("cannot read the script " + path);
  return add(text.str(), path);
}

const ScriptEntry* Script::find(const std::string& question,
                                std::vector<std::string>& groups) const {
  groups.assign(1, question);
  const auto exact = exact_.find(question);
  const std::size_t end = exact == exact_.end() ? entries_.size() : exact->second;
  for (std::size_t i = 0; i < end; ++i) {
    const ScriptEntry& entry = *entries_[i];
    if (entry.match != ScriptEntry::Match::Exact && matches(entry, question, groups)) {
      return &entry;
    }
  }
  return end == entries_.size() ? nullptr : entries_[end].get();
}

}  // namespace ba::scripted
