// SPDX-License-Identifier: Apache-2.0
#include "worker/cli/program/unknown_word.hpp"

#include <CLI/CLI.hpp>
#include <vector>

#include "pipeline/base/joined.hpp"
#include "pipeline/base/nearest_word.hpp"
#include "worker/cli/program/terminal.hpp"
#include "worker/cli/program/wording.hpp"

namespace ba {
namespace {

constexpr std::size_t kWordLetters = 60;  // of a word that isn't known

std::vector<std::string> commands_of(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* one : app.get_subcommands([](const CLI::App*) { return true; }))
    names.push_back(one->get_name());
  return names;
}

/// "--json" and the like, of the command and of those around it, which take them, too.
std::vector<std::string> options_of(const CLI::App* app) {
  std::vector<std::string> names;
  for (; app != nullptr; app = app->get_parent())
    for (const CLI::Option* option : app->get_options())
      for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  return names;
}

/// "ba-agent topics".
std::string full_name(const CLI::App& app) {
  return app.get_parent() == nullptr ? app.get_name()
                                     : full_name(*app.get_parent()) + " " + app.get_name();
}

std::string described(const std::string& word, const CLI::App& app) {
  const std::string quoted = "\"" + printable(shortened(word, kWordLetters)) + "\"";
  const std::string help = "; see `" + full_name(app) + " --help`";
  const auto commands = commands_of(app);
  if (!word.starts_with("-") && !commands.empty()) {
    const auto nearest = nearest_word(word, commands);
    return "unknown command " + quoted +
           (nearest ? "; did you mean \"" + *nearest + "\"?"
                    : "; the commands of " + full_name(app) + " are: " + joined(commands));
  }
  if (!word.starts_with("-"))
    return "unexpected argument " + quoted + " of " + full_name(app) + help;
  const std::string option = word.substr(0, word.find('='));
  const auto nearest = nearest_word(option, options_of(&app));
  return "unknown option " + quoted + " of " + full_name(app) +
         (nearest ? "; did you mean \"" + *nearest + "\"?" : help);
}

}  // namespace

const CLI::App& deepest_parsed(const CLI::App& app) {
  const auto parsed = app.get_subcommands();
  return parsed.empty() ? app : deepest_parsed(*parsed.front());
}

std::string full_name_of_command(const CLI::App& app) { return full_name(deepest_parsed(app)); }

std::optional<std::string> unknown_word_message(const CLI::App& app) {
  const std::vector<std::string> left = app.remaining(true);
  if (left.empty()) return std::nullopt;
  return described(left.front(), deepest_parsed(app));
}

}  // namespace ba
