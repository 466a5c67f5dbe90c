#pragma once
// SPDX-License-Identifier: Apache-2.0
// What is wrong with one setting, as data: whoever finds it says the key, the value and what would
// be right, and text_of() alone makes a sentence of it. Nobody reads that sentence again. Values.

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "pipeline/base/enum_names.hpp"
#include "pipeline/base/error.hpp"
#include "pipeline/base/joined.hpp"
#include "pipeline/base/nearest_word.hpp"

namespace ba {

/// What a whole number may be, both ends included. A setting's bounds stand where its section
/// is read, and nowhere else.
struct Bounds {
  std::int64_t least = 0;
  std::int64_t most = 0;

  constexpr bool hold(std::int64_t value) const { return value >= least && value <= most; }

  /// "between 1 and 100", for messages.
  std::string text() const {
    return "between " + std::to_string(least) + " and " + std::to_string(most);
  }
};

struct SettingProblem {
  enum class Kind {
    NotAllowed,  ///< a value on which nothing else depends: must be `allowed`
    Unfit,       ///< a value that isn't `allowed`
    TooSmall,    ///< a number that must be `allowed`: positive, non-negative
    NotAChoice,  ///< none of the names in `allowed`
    NoSuchName,  ///< doesn't name what it must: one of `allowed`
    NotThere,    ///< names a thing that isn't there; `allowed` are those that are, `words` say it
    Refused,     ///< a value, and in `allowed` why it can't be
    WrongShape,  ///< a list or map in the place of `allowed`, or the reverse
    Missing,     ///< nothing is there: must be `allowed`
    UnknownKey,  ///< `allowed` are the keys that are known there
    Conflict,    ///< settings that don't fit together
    Masked,      ///< what stands for a secret wherever settings are shown, read back
    Unreadable,  ///< a file, or a text in YAML, that can't be read
    Other,       ///< of what only may be wrong, a doubt: it isn't one of a few kinds
  };

  Kind kind = Kind::Other;
  std::string key{};      ///< the whole path, "kafka.brokers"; empty: of no key
  std::string value{};    ///< as it may be shown: quoted, cut, without secrets
  std::string allowed{};  ///< what would be right
  std::string nearest{};  ///< the allowed word that was probably meant; empty: none
  std::string words{};    ///< all of it, behind the key; empty: the sentence of its kind
  /// Where one of these keys is wrong itself, this problem only follows from that.
  std::vector<std::string> follows_from{};

  friend bool operator==(const SettingProblem&, const SettingProblem&) = default;
};

/// As programs read them.
inline constexpr EnumNames<SettingProblem::Kind, 14> kSettingProblemNames{{
    {SettingProblem::Kind::NotAllowed, "not_allowed"},
    {SettingProblem::Kind::Unfit, "unfit"},
    {SettingProblem::Kind::TooSmall, "too_small"},
    {SettingProblem::Kind::NotAChoice, "not_a_choice"},
    {SettingProblem::Kind::NoSuchName, "no_such_name"},
    {SettingProblem::Kind::NotThere, "not_there"},
    {SettingProblem::Kind::Refused, "refused"},
    {SettingProblem::Kind::WrongShape, "wrong_shape"},
    {SettingProblem::Kind::Missing, "missing"},
    {SettingProblem::Kind::UnknownKey, "unknown_key"},
    {SettingProblem::Kind::Conflict, "conflict"},
    {SettingProblem::Kind::Masked, "masked"},
    {SettingProblem::Kind::Unreadable, "unreadable"},
    {SettingProblem::Kind::Other, "other"},
}};

/// "kafka.brokers is missing: must be host:port", without a place.
std::string text_of(const SettingProblem& problem);

/// InvalidArgument with the first of them; good where there are none.
Result<void> first_of(const std::vector<SettingProblem>& problems);

/// Collects what is wrong with the values below one key of the configuration. Bounds of a single
/// number aren't its matter: the reader of the configuration knows them.
class KeyChecks {
 public:
  using Kind = SettingProblem::Kind;

  /// `problems` outlives the checks. `key`: "tools.web_search".
  KeyChecks(std::vector<SettingProblem>& problems, std::string key)
      : problems_(problems), key_(std::move(key)) {}

  /// The whole path of a name below the key; empty: the key itself.
  std::string key_of(const std::string& name) const {
    return name.empty() ? key_ : key_ + "." + name;
  }

  /// `value` as it may be shown.
  void expect(bool good, const std::string& name, const std::string& value,
              const std::string& allowed, std::vector<std::string> follows_from = {},
              const std::string& nearest = {}) {
    if (good) return;
    add(Kind::Unfit, name, value, allowed, std::move(follows_from));
    problems_.back().nearest = nearest;
  }

  /// What the sentence of no kind says.
  void tell(Kind kind, const std::string& name, const std::string& words,
            std::vector<std::string> follows_from = {}) {
    add(kind, name, "", "", std::move(follows_from));
    problems_.back().words = words;
  }

  /// Of what has no value yet.
  void given(bool there, const std::string& name, const std::string& allowed) {
    if (!there) add(Kind::Missing, name, "", allowed);
  }

  /// A value that can't be, and why not.
  void refuse_unless(bool good, const std::string& name, std::string_view value,
                     const std::string& why) {
    if (!good) add(Kind::Refused, name, "'" + std::string(value) + "'", why);
  }

  /// `asked` must be one of `known`, which are of a kind: "agent".
  void there_is(const std::string& asked, const std::vector<std::string>& known,
                const std::string& name, const std::string& kind,
                std::vector<std::string> follows_from = {}) {
    if (std::ranges::find(known, asked) != known.end()) return;
    const auto near = nearest_word(asked, known);
    add(Kind::NotThere, name, "'" + asked + "'", joined(known), std::move(follows_from));
    problems_.back().nearest = near ? "'" + *near + "'" : "";
    problems_.back().words = "there is no " + kind + " '" + asked + "'" +
                             (near ? "; did you mean '" + *near + "'?" : "") +
                             " (there are: " + joined_or_none(known) + ")";
  }

  void add(Kind kind, const std::string& name, const std::string& value, const std::string& allowed,
           std::vector<std::string> follows_from = {}) {
    problems_.push_back({.kind = kind,
                         .key = key_of(name),
                         .value = value,
                         .allowed = allowed,
                         .nearest = {},
                         .words = {},
                         .follows_from = std::move(follows_from)});
  }

 private:
  std::vector<SettingProblem>& problems_;
  std::string key_;
};

}  // namespace ba
