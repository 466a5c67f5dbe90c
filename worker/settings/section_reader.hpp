#pragma once
// SPDX-License-Identifier: Apache-2.0
// How a section of the configuration is declared: one function names each key with its field, and
// with what the field's type doesn't say (bounds, names). The field's value is the default. The
// same function lists all that can be set, for the schema. Wrong values are collected in Findings
// and leave the field alone, so that one run shows everything that is wrong. One thread.
//
//   void read_files(settings::SectionReader& in, FilesConfig& files) {
//     in.read("enabled", files.enabled);
//     in.read("threads", files.threads, {1, 64});
//     in.list("roots", [&](SectionReader& item) { read_root(item, files.roots.emplace_back()); });
//   }

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "worker/settings/section_map.hpp"
#include "worker/settings/setting_values.hpp"

namespace ba::settings {

class SectionReader {
 public:
  using Kind = SettingProblem::Kind;

  SectionReader(const Node* node, std::vector<std::string> path, Findings& findings,
                Reading reading = Reading::Given)
      : map_(node, std::move(path), findings, reading) {}

  /// One value. The types that can be read, and what they are told, stand in setting_values.hpp.
  template <typename Value>
  void read(const char* key, Value&& value) {
    GivenValue given(map_, key);
    read_value(given, value);
  }
  template <typename Value>
  void read(const char* key, Value&& value, Bounds bounds) {
    GivenValue given(map_, key);
    read_value(given, value, bounds);
  }
  template <typename Value, typename Names>
  void read(const char* key, Value&& value, const Names& names) {
    GivenValue given(map_, key);
    read_value(given, value, names);
  }

  using Read = std::function<void(SectionReader& inner)>;

  /// A map inside this one.
  void section(const char* key, const Read& read);

  /// A list of maps.
  void list(const char* key, const Read& read);

  /// A map from names of the user's choice to maps; `read` is called for each in order.
  void entries(const char* key,
               const std::function<void(const std::string& name, SectionReader& inner)>& read);

  /// Whether a key is to be read that is mostly left out: it is given, or everything is listed.
  bool wants(std::string_view key);

  /// Whether the user gave a value (anything but null) for this key.
  bool has(std::string_view key) const { return map_.given(key) != nullptr; }

  /// Whether nobody gave the key, not even misspelt. Asked when the section's keys are read.
  bool lacks(std::string_view key) const;

  /// Whether something is wrong with what was given for the key: Findings::is_wrong(). Asked when
  /// the section it is in is read.
  bool is_wrong(std::string_view key) const { return map_.findings().is_wrong(map_.path_of(key)); }

  /// Says what is wrong with the value of a key of this section (empty: with the section), unless
  /// the section itself couldn't be read.
  void refuse(std::string_view key, SettingProblem problem) {
    map_.refuse(key, std::move(problem));
  }
  /// The same in words of its own.
  void error(std::string_view key, Kind kind, const std::string& words) {
    refuse(key, {.kind = kind, .words = words});
  }

  /// The same for an entry of a map of texts.
  void entry_error(std::string_view key, std::string_view entry, Kind kind,
                   const std::string& words) {
    refuse_entry(map_, key, entry, kind, words);
  }

  /// Two values don't fit together: says where each comes from, at the place of the one that was
  /// set last.
  void conflict(std::string_view key, std::string_view other, const std::string& what);

  /// Two numbers of which one can't be above the other, as conflict().
  void at_most(std::string_view key, std::int64_t value, std::string_view other,
               std::int64_t limit) {
    if (value > limit)
      conflict(key, other,
               std::string(key) + " (" + std::to_string(value) + ") can't be above " +
                   std::string(other) + " (" + std::to_string(limit) + ")");
  }

  void warning(std::string_view key, const std::string& what);

  /// Reports unknown keys. Whoever made the reader calls it last.
  void finish();

 private:
  void read_inner(std::vector<std::string> names, const Node* node, const Read& read);

  SectionMap map_;
};

}  // namespace ba::settings
