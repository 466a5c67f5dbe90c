#pragma once
// SPDX-License-Identifier: Apache-2.0
// What the file of a command needs to declare its arguments: CLI11 as it is, and the options and
// checks that several commands share. Such files and the parser include it, nobody else.

#include <CLI/App.hpp>
#include <array>
#include <cstdio>
#include <optional>
#include <random>
#include <string>
#include <string_view>

#include "pipeline/base/enum_names.hpp"
#include "pipeline/base/time.hpp"
#include "worker/cli/program/command.hpp"

namespace ba::cli {

/// Of commands that take a job's id; see named_job.hpp.
inline constexpr const char* kOrWithTenant = ", or TENANT/JOB";

/// A check of an option that may be left out, but not be empty.
CLI::Validator not_empty();

/// A check of an option whose value is a whole number, both bounds included.
CLI::Validator number_from(int least, int most);

/// The same of a number of seconds.
CLI::Validator seconds_from(double least, double most);

/// What --json of a command answers. A command has one form, which its help says.
enum class JsonForm {
  Document,  ///< one JSON value
  Array,     ///< one JSON array
  Lines,     ///< a JSON object a line
};

CLI::Option* json_flag(CLI::App& app, bool& json, JsonForm form);

/// Of a command that takes nothing else.
struct OnlyJson {
  bool json = false;
};

template <JsonForm form>
void declare_json(CLI::App& app, OnlyJson& arguments) {
  json_flag(app, arguments.json, form);
}

/// "--tenant" of a command that takes an id; empty unless it is given.
void tenant_of_id(CLI::App& app, std::string& tenant);

/// An option that narrows a list down, and isn't empty.
CLI::Option* filter_option(CLI::App& app, const char* name, std::string& value, const char* about);

/// "--by": who acts.
void by_option(CLI::App& app, std::string& by);

/// "--max" of a list.
void max_option(CLI::App& app, int& rows_max);

/// An option whose value is a span of time: "30m".
void age_option(CLI::App& app, const char* name, std::optional<Milliseconds>& age,
                const char* about);

/// An option whose value is one name of a closed set.
template <typename Enum, std::size_t N>
CLI::Option* choice_option(CLI::App& app, const char* name, std::optional<Enum>& value,
                           const EnumNames<Enum, N>& names, const char* about) {
  std::string allowed;
  for (const auto& [unused, text] : names)
    allowed += (allowed.empty() ? "" : ", ") + std::string(text);
  const auto problem = [&names, allowed](const std::string& text) -> std::string {
    if (value_of(names, text)) return "";
    return "\"" + text + "\" is none of " + allowed;
  };
  return app
      .add_option_function<std::string>(
          name, [&value, &names](const std::string& text) { value = value_of(names, text); }, about)
      ->check(CLI::Validator(problem, allowed));
}

// Who changes something by command: recorded in the ledger, as text for people.

/// What `--by` says, else the account of this process at this host.
std::string acting_person(const std::string& by);

// Spans of time as a person types them. Pure function.

/// "90s", "30m", "12h", "7d": a whole number and one unit; none for anything else, or more than a
/// hundred years.
std::optional<Milliseconds> parse_age(std::string_view text);

// Names that nobody else makes: of a job, a conversation or a call that was given none. Any thread.

/// The prefix and 16 digits 0-9a-f.
inline std::string random_name(const std::string& prefix) {
  std::random_device device;
  std::array<char, 20> digits{};
  std::snprintf(digits.data(), digits.size(), "%08x%08x", device(), device());
  return prefix + digits.data();
}

}  // namespace ba::cli
