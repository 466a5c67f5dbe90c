#pragma once
// SPDX-License-Identifier: Apache-2.0
// What is wrong with one setting, as data: whoever finds it says the key, the value and what would
// be right, and text_of() alone makes a sentence of it. Nobody reads that sentence again. Values.

#include <string>
#include <vector>

#include "pipeline/base/error.hpp"

namespace ba {

struct SettingProblem {
  enum class Kind {
    NotAllowed,  ///< a value on which nothing else depends: must be `allowed`
    Unfit,       ///< a value that isn't `allowed`
    TooSmall,    ///< a number that must be `allowed`: positive, non-negative
    NotAChoice,  ///< none of the names in `allowed`
    NoSuchName,  ///< doesn't name what it must: one of `allowed`
    NotThere,    ///< names a thing, "agent 'x'", that isn't there; `allowed` are those that are
    Refused,     ///< a value, and in `allowed` why it can't be
    WrongShape,  ///< a list or map in the place of `allowed`, or the reverse
    Missing,     ///< nothing is there: must be `allowed`
    UnknownKey,  ///< `allowed` are the keys that are known there
    Other,       ///< `allowed` says all of it
  };

  Kind kind = Kind::Other;
  std::string key{};      ///< the whole path, "kafka.brokers"; empty: of no key
  std::string value{};    ///< as it may be shown: quoted, cut, without secrets
  std::string allowed{};  ///< what would be right
  std::string nearest{};  ///< the allowed word that was probably meant; empty: none
  /// Where one of these keys is wrong itself, this problem only follows from that.
  std::vector<std::string> follows_from{};

  friend bool operator==(const SettingProblem&, const SettingProblem&) = default;
};

/// "kafka.brokers is missing: must be host:port", without a place.
std::string text_of(const SettingProblem& problem);

/// InvalidArgument with the first of them; good where there are none.
Result<void> first_of(const std::vector<SettingProblem>& problems);

}  // namespace ba
