#pragma once
// SPDX-License-Identifier: Apache-2.0
// Collects what is wrong with the values below one key of the configuration. Bounds of a single
// number aren't its matter: the reader of the configuration knows them. Values.

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "pipeline/base/joined.hpp"
#include "pipeline/base/nearest_word.hpp"
#include "pipeline/base/setting_problem.hpp"

namespace ba {

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

  /// Of the key itself; `problem` says all of it.
  void require(bool good, const std::string& problem, std::vector<std::string> follows_from = {}) {
    if (!good) add(Kind::Other, "", "", problem, std::move(follows_from));
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
    add(Kind::NotThere, name, kind + " '" + asked + "'", joined_or_none(known),
        std::move(follows_from));
    problems_.back().nearest = near ? "'" + *near + "'" : "";
  }

  void add(Kind kind, const std::string& name, const std::string& value, const std::string& allowed,
           std::vector<std::string> follows_from = {}) {
    problems_.push_back({.kind = kind,
                         .key = key_of(name),
                         .value = value,
                         .allowed = allowed,
                         .nearest = {},
                         .follows_from = std::move(follows_from)});
  }

 private:
  std::vector<SettingProblem>& problems_;
  std::string key_;
};

}  // namespace ba
