#pragma once
// SPDX-License-Identifier: Apache-2.0
// What the user gave for one key, and where its reader says what is wrong with it, what is in
// force, and which of it is a secret. One thread.

#include <string>
#include <string_view>

#include "worker/settings/section_map.hpp"

namespace ba::settings {

class GivenValue {
 public:
  /// From now on the map knows the key. `map` outlives the value.
  GivenValue(SectionMap& map, std::string key);

  const std::string& key() const { return key_; }
  SectionMap& map() const { return map_; }
  const Node* node() const { return map_.given(key_); }  ///< null: nothing is given

  /// What is given, where it is a single value. `allowed`: for the error where it isn't.
  const std::string* scalar(const std::string& allowed) const;

  /// The same of what may be a secret: a wrong value isn't shown.
  const std::string* secret_scalar() const;

  void refuse(SettingProblem problem) const { map_.refuse(key_, std::move(problem)); }
  /// `words`: all of it.
  void error(SettingProblem::Kind kind, const std::string& words) const {
    refuse({.kind = kind, .words = words});
  }
  void not_allowed(const std::string& value, const std::string& allowed) const;

  /// The log must not show it.
  void hide(std::string secret) const;
  void hide_secrets_in(const std::string& text) const;

  /// The value in force, as JSON.
  void show(std::string value_json, SettingShape shape = {}) const;
  void show_text(const std::string& value) const;

 private:
  SectionMap& map_;
  std::string key_;
};

/// Of an entry of a map of texts.
void refuse_entry(SectionMap& map, std::string_view key, std::string_view entry,
                  SettingProblem::Kind kind, const std::string& words);

}  // namespace ba::settings
