#pragma once
// SPDX-License-Identifier: Apache-2.0
// One map of the settings' tree with its path: what was given for a key, where, and where findings
// go. SectionReader and the readers of single values look at it. One thread.

#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "worker/settings/findings.hpp"
#include "worker/settings/node.hpp"

namespace ba::settings {

/// Of a value that is wrong: one that may hold secrets isn't shown.
enum class Shown { Value, Nothing };

/// Whether the settings of a file are read, or all that could be set is listed.
enum class Reading { Given, Everything };

class SectionMap {
 public:
  /// `node` may be null: nothing is given. `findings` outlives the map.
  SectionMap(const Node* node, std::vector<std::string> path, Findings& findings, Reading reading);

  /// Null: not set, or set to null.
  const Node* given(std::string_view key) const;
  const Node* node() const { return node_; }

  std::string path_of(std::string_view key) const;  ///< "kafka.brokers"; of "", the map's own
  const std::vector<std::string>& path() const { return path_; }
  Origin place_of(std::string_view key) const;   ///< of the map where the key isn't set
  Origin origin_of(std::string_view key) const;  ///< "default" where the key isn't set

  /// What was given for the map itself couldn't be read: nothing in it is missed.
  bool is_unread() const { return findings_.unread_keys.contains(path_of("")); }

  void know(std::string_view key);
  bool knows(std::string_view key) const;
  const std::vector<std::string>& known() const { return known_; }

  /// What was given for a list or map, which a flag or variable gives in one value: [a, "b, c"].
  const Node* structure(std::string_view key, Shown shown);
  const Node* opened(const std::string& path, const Node& flow, Shown shown);

  void refuse(std::string_view key, SettingProblem problem);
  /// What stands at the path isn't `allowed`, and so wasn't read.
  void refuse_shape(const Origin& place, const std::string& path, const std::string& allowed);

  Findings& findings() const { return findings_; }
  bool lists_everything() const { return reading_ == Reading::Everything; }

 private:
  const Node* node_;
  std::vector<std::string> path_;
  Findings& findings_;
  Reading reading_;
  std::vector<std::string> known_;
  std::deque<Node> opened_;  ///< lists and maps that were given in one value
};

/// What a flag or variable gave for a list or map.
bool is_in_one_value(const Node& node);

}  // namespace ba::settings
