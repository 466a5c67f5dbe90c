// SPDX-License-Identifier: Apache-2.0
#include "worker/cli/program/parse_arguments.hpp"

#include <CLI/CLI.hpp>
#include <map>
#include <sstream>

#include "pipeline/base/joined.hpp"
#include "pipeline/base/nearest_word.hpp"
#include "pipeline/text/message/message.hpp"
#include "pipeline/text/message/utf8.hpp"
#include "storage/migrate.hpp"
#include "worker/cli/program/global_options.hpp"
#include "worker/cli/program/terminal.hpp"
#include "worker/cli/program/wording.hpp"
#include "worker/config/observability_section.hpp"
#include "worker/settings/findings.hpp"
#include "worker/settings/node.hpp"
#include "worker/version/version.hpp"

namespace ba::cli {
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

/// The command that the line names, as far as it was understood; `app` itself if it names none.
const CLI::App& deepest_parsed(const CLI::App& app) {
  const auto parsed = app.get_subcommands();
  return parsed.empty() ? app : deepest_parsed(*parsed.front());
}

/// "ba-agent topics create": the command that the line names, as far as it was understood.
std::string full_name_of_command(const CLI::App& app) { return full_name(deepest_parsed(app)); }

/// After a parse that failed: the message for the first word that was not understood; none when
/// every word was.
std::optional<std::string> unknown_word_message(const CLI::App& app) {
  const std::vector<std::string> left = app.remaining(true);
  if (left.empty()) return std::nullopt;
  return described(left.front(), deepest_parsed(app));
}

constexpr const char* kAbout =
    "BA-Agent worker: runs analysis jobs from Kafka as conversations with a language model and\n"
    "tools, keeps every step in PostgreSQL, and publishes each result exactly once.";

constexpr const char* kFooter =
    "Settings: --config FILE, else BA_CONFIG, ./ba-agent.yaml, /etc/ba-agent/ba-agent.yaml; the\n"
    "environment over the file; flags over both. `ba-agent config print` shows those in force.\n"
    "Exit codes: 0 ok, 1 failed, 2 usage, 3 the job ended otherwise than completed,\n"
    "69 a dependency is unavailable, 75 try again later, 78 configuration, 130 interrupted.";

constexpr std::size_t kShownBytes = 60;       // of an argument that can't be read
constexpr std::size_t kMessageLetters = 400;  // of what may quote an argument

/// A command in the grammar, with what the line gives for its arguments.
struct Declared {
  const Command* command = nullptr;
  std::any arguments;
};

std::string footer_of(const CommandDescription& about) {
  const auto paragraph = [](const std::string& text) { return text.empty() ? "" : text + "\n\n"; };
  return paragraph(about.notes) + paragraph("Examples:\n" + about.examples) +
         paragraph(describe(about.needs)) + kEverywhere;
}

/// The grammar of all commands; of a name with two words, the first is the group's.
std::map<const CLI::App*, Declared> declare_all(CLI::App& app,
                                                const std::vector<Command>& commands) {
  std::map<const CLI::App*, Declared> declared;
  for (const Command& command : commands) {
    const std::string& name = command.about.name;
    const std::size_t space = name.find(' ');
    CLI::App& parent =
        space == std::string::npos ? app : *app.get_subcommand(name.substr(0, space));
    CLI::App* own = parent.add_subcommand(name.substr(space + 1), command.about.summary);
    own->footer(footer_of(command.about));
    if (command.is_group())
      own->require_subcommand(1);
    else
      declared[own] = {&command, command.declare(*own)};
  }
  return declared;
}

/// Everything behind needs texts: what can't be one is refused here, where its place is known.
std::optional<std::string> encoding_problem(int argc, const char* const* argv) {
  for (int i = 1; i < argc; ++i)
    if (const auto at = utf8_defect(argv[i]))
      return "argument " + std::to_string(i) + ": " + describe_utf8_defect(argv[i], *at) + ": \"" +
             hex_escaped(std::string_view(argv[i]).substr(0, kShownBytes)) +
             "\"; arguments must be UTF-8 (iconv -t UTF-8 converts)";
  return std::nullopt;
}

NothingToRun wrong_line(const std::string& message) {
  return {kExitUsage, "", "ba-agent: " + message + "\n"};
}

/// The library's own words in this program's form, but for a word that it doesn't know.
NothingToRun not_parsed(const CLI::App& app, const CLI::ParseError& error) {
  std::ostringstream out;
  std::ostringstream err;
  const bool answered = app.exit(error, out, err) == 0;
  // The help of a command that isn't there is none.
  if (const auto unknown = unknown_word_message(app)) return wrong_line(*unknown);
  if (answered) return {kExitOk, out.str(), err.str()};
  return wrong_line(printable(shortened(error.what(), kMessageLetters)) + "; see `" +
                    full_name_of_command(app) + " --help`");
}

}  // namespace

std::variant<CommandLine, NothingToRun> parse_arguments(const std::vector<Command>& commands,
                                                        int argc, const char* const* argv) {
  if (const auto problem = encoding_problem(argc, argv)) return wrong_line(*problem);
  CLI::App app(kAbout, "ba-agent");
  app.footer(kFooter);
  app.require_subcommand(1);
  app.fallthrough();
  app.set_help_all_flag("--help-all", "Help of every command");
  app.set_version_flag(
      "--version", [] { return version_text(version_facts()); },
      "Print the version (as `ba-agent version`)");
  GlobalOptions globals;
  add_global_options(app, globals);
  auto declared = declare_all(app, commands);
  try {
    app.parse(argc, argv);
    Declared& chosen = declared.at(&deepest_parsed(app));
    CommandLine line{chosen.command, std::move(chosen.arguments), std::nullopt,
                     overrides_of(globals)};
    if (!globals.config_file.empty()) line.config_file = globals.config_file;
    return line;
  } catch (const CLI::ParseError& error) {
    return not_parsed(app, error);
  }
}

VersionFacts version_facts() {
  return {std::string(program_version()), std::string(program_commit()),
          storage::builtin_migrations().back().version, kMessageSchemaVersion};
}

std::string version_text(const VersionFacts& facts) {
  return "ba-agent " + facts.version + " (" + facts.commit + "), database schema " +
         std::to_string(facts.database_schema) + ", messages " + facts.messages;
}

}  // namespace ba::cli
