#pragma once
// SPDX-License-Identifier: Apache-2.0
// Reads one map of settings into a struct. Each call names a key, takes the default that stands in
// the field, checks the value, and records what is in force; finish() finds the keys that nobody
// asked for. Wrong values are collected in Findings and leave the field alone, so that one run
// shows everything that is wrong. One thread.

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pipeline/base/bounds.hpp"
#include "pipeline/base/enum_names.hpp"
#include "pipeline/base/time.hpp"
#include "worker/config/findings.hpp"
#include "worker/config/node.hpp"

namespace ba::settings {

class SectionReader {
 public:
  /// `node` may be null: every value is then its default. `findings` outlives the reader.
  SectionReader(const Node* node, std::vector<std::string> path, Findings& findings);

  void text(const char* key, std::string& value);

  /// What holds, and is shown, in the place of a text that was read and isn't known.
  void put_in_force(const char* key, const std::string& value);
  void number(const char* key, int& value, Bounds bounds);
  void number(const char* key, std::int64_t& value, Bounds bounds);
  void real(const char* key, double& value, double min, double max);
  void optional_real(const char* key, std::optional<double>& value, double min, double max);
  void boolean(const char* key, bool& value);
  /// A list, or "a, b", or a list in one text: ['a', "b, c"].
  void texts(const char* key, std::vector<std::string>& value);
  void text_map(const char* key, std::map<std::string, std::string>& value);

  /// Values are masked where they are shown; those whose name `is_secret` never reach the log.
  using IsSecret = std::function<bool(std::string_view name)>;
  void secret_map(const char* key, std::map<std::string, std::string>& value, IsSecret is_secret);

  /// Names of files that hold secrets, by the name of each; `value` gets what they hold.
  void secret_files(const char* key, std::map<std::string, std::string>& value);

  /// A whole number of milliseconds; the key ends in `_ms`.
  void milliseconds(const char* key, Milliseconds& value, Bounds bounds);

  /// A decimal number of dollars with at most six places; the key ends in `_usd`.
  void dollars(const char* key, std::int64_t& micro_usd, Bounds micro_usd_bounds);

  /// The text itself under `key`, or the name of a file that holds it under `<key>_file`.
  void secret(const char* key, std::string& value);
  void text_or_file(const char* key, std::string& value);

  /// A text that may hold a password (which is masked, as in every text). `<key>_file` works too.
  void connection(const char* key, std::string& value);

  /// One name of a closed set, in any case. The error reads "Invalid <key>: <value>".
  template <typename Enum, std::size_t N>
  void choice(const char* key, Enum& value, const EnumNames<Enum, N>& names) {
    std::vector<std::string> allowed;
    for (const auto& [unused, name] : names) allowed.emplace_back(name);
    if (auto index = choose(key, std::string(name_of(names, value)), allowed))
      value = names[*index].first;
  }

  /// The same of things whose names aren't known when this is compiled.
  template <typename Thing>
  void choice(const char* key, Thing& value,
              const std::vector<std::pair<Thing, std::string_view>>& named) {
    std::vector<std::string> allowed;
    std::string current;
    for (const auto& [thing, name] : named) {
      allowed.emplace_back(name);
      if (thing == value) current = name;
    }
    if (auto index = choose(key, current, allowed)) value = named[*index].first;
  }

  /// A map inside this one, read by `read` and finished.
  void section(const char* key, const std::function<void(SectionReader&)>& read);

  /// A map from names of the user's choice to maps; `read` is called for each in order.
  void entries(const char* key,
               const std::function<void(const std::string& name, SectionReader&)>& read);

  /// A list of maps.
  void list(const char* key, const std::function<void(SectionReader&)>& read);

  /// Whether the user gave a value (anything but null) for this key; so they did where all that
  /// could be set is gone through.
  bool has(std::string_view key) const;

  /// Whether nobody gave the key, not even misspelt. Asked when the section's keys are read.
  bool lacks(std::string_view key) const;

  /// Whether something is wrong with what was given for the key: Findings::is_wrong(). Asked when
  /// the section it is in is read.
  bool is_wrong(std::string_view key) const;

  /// Says what is wrong with the value of a key of this section (empty: with the section), unless
  /// the section itself couldn't be read.
  void problem(std::string_view key, SettingProblem problem);
  void error(std::string_view key, const std::string& what);

  /// The same for an entry of a map of texts.
  void entry_error(std::string_view key, std::string_view entry, const std::string& what);

  /// Two values don't fit together: says where each comes from, at the place of the one that was
  /// set last.
  void conflict(std::string_view key, std::string_view other, const std::string& what);
  void warning(std::string_view key, const std::string& what);

  /// Reports unknown keys. Call it last.
  void finish();

  const std::vector<std::string>& path() const { return path_; }

 private:
  const Node* given(std::string_view key) const;  ///< null: not set, or set to null
  bool is_known(std::string_view key) const;
  bool is_unread() const;  ///< what was given for this section
  void unread(const Origin& origin, const std::string& path, const std::string& allowed);
  const Node* take(std::string_view key);
  /// As take(), for what must be a list or map: a flag or variable gives one in one value.
  enum class Shown { Value, Nothing };  ///< of a value that is wrong: it may hold secrets
  const Node* take_structure(std::string_view key, Shown shown);
  const Node* opened(const std::string& path, const Node& flow, Shown shown);
  void take_map(const char* key, std::map<std::string, std::string>& value, Shown shown);
  const std::string* take_scalar(std::string_view key, const std::string& allowed);
  const std::string* take_secret(std::string_view key);  ///< says nothing of a wrong value
  void note_secrets(const std::string& value);
  void record_text(const char* key, const std::string& value);
  void record(std::string_view key, std::string value_json, SettingShape shape = {});
  Origin origin_of(std::string_view key) const;     ///< of the section where the key isn't set
  Origin value_origin(std::string_view key) const;  ///< "default" where the key isn't set
  std::string path_text(std::string_view key) const;
  void wrong(std::string_view key, const std::string& value, const std::string& allowed);
  std::optional<std::int64_t> whole_number(const char* key, Bounds bounds);
  std::optional<double> real_number(const char* key, double min, double max);
  std::optional<std::size_t> choose(const char* key, const std::string& current,
                                    const std::vector<std::string>& allowed);
  bool from_file(const char* key, std::string& value, bool keep_newlines);

  const Node* node_;
  std::vector<std::string> path_;
  Findings& findings_;
  std::vector<std::string> known_;
  std::deque<Node> opened_;  ///< lists and maps that were given in one value
};

}  // namespace ba::settings
