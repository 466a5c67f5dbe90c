// SPDX-License-Identifier: Apache-2.0
// The list of commands is the only place: files, help and documents have the same ones.
#include "worker/cli/run_program.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <sstream>

#include "worker/cli/program/parse_arguments.hpp"

namespace ba::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::string help_of(const std::vector<Command>& commands, const std::string& name) {
  std::istringstream words(name + " --help");
  std::vector<std::string> line{"ba-agent"};
  std::copy(std::istream_iterator<std::string>(words), {}, std::back_inserter(line));
  std::vector<const char*> argv;
  for (const std::string& word : line) argv.push_back(word.c_str());
  const auto parsed = parse_arguments(commands, static_cast<int>(argv.size()), argv.data());
  const auto* help = std::get_if<NothingToRun>(&parsed);
  EXPECT_TRUE(help != nullptr && help->exit_code == 0 && help->err.empty()) << name;
  return help != nullptr ? help->out : "";
}

/// Without the groups.
std::set<std::string> names_of(const std::vector<Command>& commands) {
  std::set<std::string> names;
  for (const Command& command : commands)
    if (!command.is_group()) names.insert(command.about.name);
  return names;
}

std::string content(const std::filesystem::path& file) {
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  EXPECT_FALSE(text.str().empty()) << file;
  return text.str();
}

/// "job list" of `Command job_list_command() {` in a file of a command.
std::set<std::string> names_in_files() {
  const std::regex definition("\\nCommand (\\w+)_command\\(\\) \\{");
  std::set<std::string> names;
  for (const auto& file : std::filesystem::recursive_directory_iterator("worker/cli")) {
    if (!file.path().filename().string().ends_with("_command.cpp")) continue;
    const std::string text = content(file.path());
    const std::sregex_iterator found(text.begin(), text.end(), definition);
    EXPECT_NE(found, std::sregex_iterator()) << file.path() << " has no command";
    for (auto it = found; it != std::sregex_iterator(); ++it) {
      std::string name = (*it)[1];
      std::replace(name.begin(), name.end(), '_', ' ');
      EXPECT_TRUE(names.insert(name).second) << name << " is there twice";
    }
  }
  return names;
}

TEST(CommandList, HasTheCommandsThatFilesDefineEachOnce) {
  const std::vector<Command> commands = command_list();
  EXPECT_EQ(names_of(commands), names_in_files());
  std::set<std::string> all;
  for (const Command& command : commands)
    EXPECT_TRUE(all.insert(command.about.name).second) << command.about.name;
}

TEST(CommandList, EveryCommandHasHelpWithExamples) {
  const std::vector<Command> commands = command_list();
  for (const Command& command : commands) {
    const CommandDescription& about = command.about;
    const std::string help = help_of(commands, about.name);
    EXPECT_THAT(help, HasSubstr(about.summary));
    EXPECT_THAT(help, HasSubstr("Examples:\n  ")) << about.name;
    EXPECT_THAT(about.examples, HasSubstr("ba-agent " + about.name));
    for (const char* option : {"--config FILE", "--set KEY=VALUE", "--log-level", "--log-format"})
      EXPECT_THAT(help, HasSubstr(option)) << about.name;
    EXPECT_THAT(about.summary, Not(HasSubstr("\n"))) << about.name;
    EXPECT_FALSE(about.summary.ends_with(".")) << about.name;
  }
}

TEST(CommandList, TheHelpOfTheProgramAndOfAGroupNamesEachCommand) {
  const std::vector<Command> commands = command_list();
  for (const Command& command : commands) {
    const std::string& name = command.about.name;
    const std::size_t space = name.find(' ');
    const std::string group = space == std::string::npos ? "" : name.substr(0, space);
    EXPECT_THAT(help_of(commands, group),
                HasSubstr("\n  " + name.substr(space == std::string::npos ? 0 : space + 1) + " "))
        << name;
  }
}

TEST(CommandList, HelpSaysWhatACommandNeeds) {
  const std::vector<Command> commands = command_list();
  EXPECT_THAT(help_of(commands, "results"), HasSubstr("Needs Kafka (kafka.brokers)."));
  EXPECT_THAT(help_of(commands, "worker"),
              HasSubstr("Needs PostgreSQL (postgres.url) and Kafka (kafka.brokers)."));
  EXPECT_THAT(help_of(commands, "version"), HasSubstr("Runs with a wrong configuration, too."));
  EXPECT_THAT(help_of(commands, "tool list"), Not(HasSubstr("Needs ")));
}

TEST(CommandList, HelpSaysWhichFormJsonHas) {
  const std::vector<Command> commands = command_list();
  EXPECT_THAT(help_of(commands, "job list"), HasSubstr("Answer in JSON, an object a line"));
  EXPECT_THAT(help_of(commands, "topics verify"), HasSubstr("Answer as a JSON array"));
  EXPECT_THAT(help_of(commands, "version"), HasSubstr("Answer as a JSON document"));
}

TEST(CommandList, TheseRunWithAWrongConfiguration) {
  std::set<std::string> names;
  for (const Command& command : command_list())
    if (!command.is_group() && !command.about.needs.configuration) names.insert(command.about.name);
  EXPECT_EQ(names, (std::set<std::string>{"config check", "config print", "config schema",
                                          "convert", "doctor", "encode", "skill check",
                                          "tokens count", "tokens info", "version"}));
}

TEST(CommandList, TheDocumentOfTheCommandsNamesThemAllAndNoOthers) {
  const std::string text = content("docs/using.md");
  const std::vector<Command> commands = command_list();
  std::set<std::string> known;
  for (const Command& command : commands) {
    known.insert(command.about.name);
    const std::regex named("\\b" + command.about.name + "\\b");
    EXPECT_TRUE(std::regex_search(text, named)) << command.about.name << " is missing";
  }
  const std::regex line("ba-agent ([a-z]+)(?: ([a-z]+))?");
  for (std::sregex_iterator it(text.begin(), text.end(), line); it != std::sregex_iterator();
       ++it) {
    const std::string first = (*it)[1];
    const bool both = known.contains(first + " " + std::string((*it)[2]));
    const bool alone = names_of(commands).contains(first);
    EXPECT_TRUE(both || alone) << (*it)[0];
  }
}

}  // namespace
}  // namespace ba::cli
