#pragma once
// SPDX-License-Identifier: Apache-2.0
// What reading the settings brought to light: every value that is in force with its origin, what is
// wrong, what is doubtful, and which texts are secrets. One object per load. Values.

#include <map>
#include <set>
#include <string>
#include <vector>

#include "pipeline/base/setting_problem.hpp"
#include "worker/settings/masking.hpp"
#include "worker/settings/node.hpp"

namespace ba::settings {

/// What the value of a setting may be, as the reader that asks for it says.
struct SettingShape {
  enum class Kind { Text, Texts, TextMap, Whole, Real, Boolean, Dollars, Choice };
  Kind kind = Kind::Text;
  Bounds bounds{};   ///< of Whole; of Dollars in micro-dollars
  double least = 0;  ///< of Real
  double most = 0;
  std::vector<std::string> choices{};
};

/// One value in force.
struct Setting {
  std::vector<std::string> path;  ///< "kafka", "brokers"
  std::string value_json;         ///< a JSON scalar, list or {}; secrets are masked
  settings::Origin origin;
  settings::SettingShape shape;

  std::string key() const;  ///< the path with dots
};

/// A problem, and where the user wrote what it comes from.
struct Finding {
  settings::Origin place;
  SettingProblem problem;

  /// "<place>: <key>: <what is wrong and what is allowed>"; of no key and no place, the words
  /// alone.
  std::string text() const;
};

/// Stands for each name that a user may choose, and for the number of an item.
inline constexpr const char* kAnyName = "*";

struct Findings {
  std::vector<Setting> settings;     ///< in the order of the sections
  std::vector<Finding> problems;     ///< with one of them the configuration can't be used
  std::vector<Finding> doubts;       ///< it can be, and is perhaps not what was meant
  std::set<std::string> wrong_keys;  ///< that have a problem
  /// What was given for these wasn't read: it is of the wrong kind, or stands under a misspelt key.
  std::set<std::string> unread_keys;
  std::set<std::string> unused_keys;  ///< of maps that were read and that nobody uses
  /// Where each map and each item of a list begins that the user wrote.
  std::map<std::string, settings::Origin> places;
  std::vector<std::string> secrets;  ///< for the redaction of logs; never printed

  void add(const settings::Origin& place, SettingProblem problem);
  /// `words`: all of it, behind the key.
  void error(const settings::Origin& place, const std::string& key, SettingProblem::Kind kind,
             const std::string& words);
  void warning(const settings::Origin& place, const std::string& key, const std::string& words);

  /// Of the file itself, or of another one.
  void unreadable(const std::string& why, const settings::Origin& place = {}) {
    error(place, "", SettingProblem::Kind::Unreadable, why);
  }

  /// With its place each that doesn't only follow from what was found before; among themselves none
  /// follows from another.
  void add_all(const std::vector<SettingProblem>& found);

  /// The problems and the doubts, a line each; of a very long one the middle is left out.
  std::string line_of(const Finding& finding) const;
  std::vector<std::string> errors() const { return lines_of(problems); }
  std::vector<std::string> warnings() const { return lines_of(doubts); }

  /// Where the value of a key ("llm.models.a.provider") or of the nearest map around it was set; of
  /// a map, where the first of its values was that is no default.
  settings::Origin origin_of(std::string key) const;

  /// The same, but of a value that is a default: where the user wrote the nearest map around it.
  settings::Origin place_of(const std::string& key) const;

  /// Whether something is wrong with the key itself, or what was given for it or for a map around
  /// it couldn't be read: nobody is to miss its value as well.
  bool is_wrong(const std::string& key) const;

  /// A value that an error repeats: of a long one its beginning, secrets masked, and how long it
  /// is. excerpt() is the same as a JSON string.
  std::string shortened(const std::string& value) const;
  std::string excerpt(const std::string& value) const;

 private:
  std::vector<std::string> lines_of(const std::vector<Finding>& findings) const;
};

/// The text as a JSON string.
std::string quoted(const std::string& text);

}  // namespace ba::settings
