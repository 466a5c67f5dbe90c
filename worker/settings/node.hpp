#pragma once
// SPDX-License-Identifier: Apache-2.0
// Settings as a tree, before anything is known of their meaning: what the YAML file said, with
// environment and flags laid over it. Each node knows where it comes from. Values.

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ba::settings {

/// Where a value comes from; later kinds win.
struct Origin {
  enum class Kind { Default, File, Environment, Flag };
  Kind kind = Kind::Default;
  std::string name;  ///< file, variable or flag
  int line = 0;      ///< of a file, from 1; 0: of the file as a whole
  int column = 0;    ///< of the line, in bytes from 1; 0: nobody knows

  /// "default", "ba-agent.yaml:12", "environment BA_LOG_LEVEL" or "flag --log-level".
  std::string text() const;

  friend bool operator==(const Origin&, const Origin&) = default;
};

/// Why a file isn't read.
struct Refusal {
  Origin place;
  std::string why;

  std::string text() const { return place.text() + ": " + why; }
};

struct Entry;

struct Node {
  enum class Kind { Null, Scalar, List, Map };
  Kind kind = Kind::Null;
  std::string scalar;
  std::vector<Node> items;
  std::vector<Entry> entries;  ///< in order; keys are unique
  Origin origin;
  bool beyond_strict = false;  ///< {…}, […], an anchor, alias or tag: StrictYAML has none of them

  const Node* find(std::string_view key) const;
  Node* find(std::string_view key);
};

struct Entry {
  std::string key;
  Origin origin;  ///< of the key
  Node value;
};

/// Makes a map of one that a flag or variable gave in one value, {a: 1}; leaves all else alone.
void open_flow_map(Node& node);

inline constexpr std::size_t kPathPartsMax = 32;

/// The keys of a path ("kafka.brokers"), as it is written on a command line. A key with dots stands
/// in double quotes ("llm.models.\"gpt-5.4\".model_id"); below kafka.properties everything is one
/// key.
std::vector<std::string> keys_of(std::string_view path);

/// What is wrong with how a path is written; none: keys_of() means what its writer did.
std::optional<std::string> key_path_problem(std::string_view path);

/// Sets the scalar at a path of keys ("kafka.brokers"), making the maps on the way. What stood
/// there is replaced; into a map that was given in one value it is added. Where the file has
/// something else than a map on the way, that stays, and is told when it is read. No key lies
/// deeper than kPathPartsMax: there, a longer path ends.
void set_scalar(Node& root, std::string_view path, std::string value, const Origin& origin);

/// The same for a path whose keys may contain dots.
void set_scalar(Node& root, const std::vector<std::string>& path, std::string value,
                const Origin& origin);

}  // namespace ba::settings
