#pragma once
// SPDX-License-Identifier: Apache-2.0
// The types that a setting can have. Each read_value() takes what is given, checks it, hides what
// is a secret, and shows what is in force; `value` holds the default and stays where the given one
// is wrong. Called through SectionReader::read(). One thread.

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "pipeline/base/enum_names.hpp"
#include "pipeline/base/setting_problem.hpp"
#include "pipeline/base/time.hpp"
#include "pipeline/text/secret/secret.hpp"
#include "worker/settings/given_value.hpp"

namespace ba::settings {

struct RealBounds {
  double least = 0;
  double most = 0;
};

/// A decimal number of dollars with at most six places; the key ends in `_usd`.
struct Dollars {
  std::int64_t& micro_usd;
};

/// The text itself, or under `<key>_file` the name of a file that holds it.
struct TextOrFile {
  std::string& text;
};

/// A PostgreSQL URL or connection string, checked by libpq's own parser; its password is masked.
/// `<key>_file` works too.
struct PgAddress {
  std::string& url;
};

/// Texts by names of the user's choice, all of them masked where they are shown. The log never has
/// those whose name `is_secret`.
struct MaskedTexts {
  std::map<std::string, std::string>& texts;
  std::function<bool(std::string_view name)> is_secret;
};

/// Names of files that hold secrets, by the name of each; gets what they hold.
template <typename Text>
struct SecretFiles {
  std::map<std::string, Text>& secrets;
};

void read_value(const GivenValue& given, std::string& value);
void read_value(const GivenValue& given, bool& value);

void read_value(const GivenValue& given, std::int64_t& value, Bounds bounds);
void read_value(const GivenValue& given, int& value, Bounds bounds);
void read_value(const GivenValue& given, std::size_t& value, Bounds bounds);
/// A whole number of them; the key ends in `_ms`.
void read_value(const GivenValue& given, Milliseconds& value, Bounds bounds);
void read_value(const GivenValue& given, const Dollars& value, Bounds micro_usd);
void read_value(const GivenValue& given, double& value, RealBounds bounds);
void read_value(const GivenValue& given, std::optional<double>& value, RealBounds bounds);

/// A list, or "a, b", or a list in one text: ['a', "b, c"].
void read_value(const GivenValue& given, std::vector<std::string>& value);
void read_value(const GivenValue& given, std::map<std::string, std::string>& value);

/// A secret, or under `<key>_file` the name of a file that holds it.
void read_value(const GivenValue& given, Secret& value);
/// Is added to what `value` has.
void read_value(const GivenValue& given, std::map<std::string, Secret>& value);
void read_value(const GivenValue& given, const MaskedTexts& value);
void read_value(const GivenValue& given, const TextOrFile& value);
void read_value(const GivenValue& given, const PgAddress& value);

void read_secret_files(const GivenValue& given, std::map<std::string, std::string>& secrets);

template <typename Text>
void read_value(const GivenValue& given, const SecretFiles<Text>& value) {
  std::map<std::string, std::string> secrets;
  read_secret_files(given, secrets);
  for (auto& [name, secret] : secrets) value.secrets[name] = Text(std::move(secret));
}

/// Which of the names is given, in any case; none: no name, or a wrong one.
std::optional<std::size_t> read_choice(const GivenValue& given, const std::string& current,
                                       const std::vector<std::string>& allowed);

/// One name of a closed set. The error reads "Invalid <key>: <value>".
template <typename Enum, std::size_t N>
void read_value(const GivenValue& given, Enum& value, const EnumNames<Enum, N>& names) {
  std::vector<std::string> allowed;
  for (const auto& [unused, name] : names) allowed.emplace_back(name);
  if (auto index = read_choice(given, std::string(name_of(names, value)), allowed))
    value = names[*index].first;
}

/// The same of things whose names aren't known when this is compiled.
template <typename Thing>
using NamedThings = std::vector<std::pair<Thing, std::string_view>>;

template <typename Thing>
void read_value(const GivenValue& given, Thing& value, const NamedThings<Thing>& named) {
  std::vector<std::string> allowed;
  std::string current;
  for (const auto& [thing, name] : named) {
    allowed.emplace_back(name);
    if (thing == value) current = name;
  }
  if (auto index = read_choice(given, current, allowed)) value = named[*index].first;
}

/// Where none of the names is fixed, another word says so.
template <typename Enum>
struct ChoiceOr {
  std::optional<Enum>& value;
  const char* none;
};

template <typename Enum, std::size_t N>
void read_value(const GivenValue& given, const ChoiceOr<Enum>& choice,
                const EnumNames<Enum, N>& names) {
  EnumNames<std::optional<Enum>, N + 1> with_none{};
  with_none[0] = {std::nullopt, choice.none};
  for (std::size_t i = 0; i < N; ++i) with_none[i + 1] = names[i];
  read_value(given, choice.value, with_none);
}

template <typename Enum, std::size_t N>
void read_value(const GivenValue& given, std::optional<Enum>& value,
                const EnumNames<Enum, N>& names) {
  read_value(given, ChoiceOr<Enum>{value, "auto"}, names);
}

}  // namespace ba::settings
