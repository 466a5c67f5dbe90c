// SPDX-License-Identifier: Apache-2.0
#include "worker/cli/program/parse_arguments.hpp"

#include <algorithm>
#include <sstream>

#include "pipeline/base/joined.hpp"
#include "pipeline/base/lower_case.hpp"
#include "pipeline/base/nearest_word.hpp"
#include "pipeline/text/message/utf8.hpp"
#include "worker/cli/program/command_grammar.hpp"
#include "worker/cli/program/exit_code.hpp"
#include "worker/cli/program/secret_setting.hpp"
#include "worker/cli/program/terminal.hpp"
#include "worker/cli/program/unknown_word.hpp"
#include "worker/cli/program/version_facts.hpp"
#include "worker/cli/program/wording.hpp"
#include "worker/config/observability_section.hpp"
#include "worker/settings/findings.hpp"
#include "worker/settings/key_path.hpp"

namespace ba {
namespace {

constexpr const char* kAbout =
    "BA-Agent worker: runs analysis jobs from Kafka as conversations with a language model and\n"
    "tools, keeps every step in PostgreSQL, and publishes each result exactly once.";

constexpr const char* kFooter =
    "Settings: --config FILE, else BA_CONFIG, ./ba-agent.yaml, /etc/ba-agent/ba-agent.yaml; the\n"
    "environment over the file; flags over both. `ba-agent config print` shows what is in force.\n"
    "Exit codes: 0 ok, 1 failed, 2 usage, 3 the job ended otherwise than completed,\n"
    "69 a dependency is unavailable, 75 try again later, 78 configuration, 130 interrupted.";

constexpr std::size_t kShownBytes = 60;   // of an argument that can't be read
constexpr std::size_t kWordLetters = 80;  // of one that a message repeats

void add_worker(CLI::App& parent, const Chosen& chosen) {
  CLI::App* app = command(parent, "worker", "Take jobs from Kafka and run them until SIGTERM",
                          "  ba-agent worker --config /etc/ba-agent/ba-agent.yaml\n"
                          "  BA_LOG_FORMAT=text ba-agent worker --set limits.running_jobs_max=50");
  app->callback([=] { chosen(WorkerArguments{}); });
}

void add_migrate(CLI::App& parent, const Chosen& chosen) {
  CLI::App* app = command(parent, "migrate", "Bring the database schema to this version",
                          "  ba-agent migrate --dry-run\n  ba-agent migrate\n"
                          "  ba-agent migrate --status --json");
  auto arguments = std::make_shared<MigrateArguments>();
  auto* dry = app->add_flag("--dry-run", arguments->dry_run, "Show what would be applied");
  app->add_flag("--status", arguments->status, "Only show the schema's version")->excludes(dry);
  json_flag(*app, arguments->json);
  app->callback([=] { chosen(*arguments); });
}

void add_topics(CLI::App& parent, const Chosen& chosen) {
  CLI::App* topics = command(parent, "topics", "Create or verify the Kafka topics",
                             "  ba-agent topics create\n  ba-agent topics verify --json");
  topics->require_subcommand(1);
  for (const bool create : {true, false}) {
    CLI::App* app = create ? command(*topics, "create", "Create the topics that are missing",
                                     "  ba-agent topics create\n"
                                     "  ba-agent topics create --set "
                                     "kafka.topic_settings.job_partitions=24")
                           : command(*topics, "verify", "Check that the topics are as needed",
                                     "  ba-agent topics verify --json");
    auto arguments = std::make_shared<TopicsArguments>();
    arguments->create = create;
    json_flag(*app, arguments->json);
    app->callback([=] { chosen(*arguments); });
  }
}

void add_show(CLI::App& parent, const Chosen& chosen) {
  CLI::App* app = command(parent, "show", "Show a job's conversation as a time line",
                          "  ba-agent show job-42\n  ba-agent show acme/job-42 --full\n"
                          "  ba-agent show job-42 --json | jq .steps");
  auto arguments = std::make_shared<ShowArguments>();
  app->add_option("job", arguments->job, std::string("The job's id") + kOrWithTenant)->required();
  tenant_of_id(*app, arguments->tenant);
  app->add_flag("--full", arguments->full, "Cut nothing");
  json_flag(*app, arguments->json);
  app->callback([=] { chosen(*arguments); });
}

void add_report(CLI::App& parent, const Chosen& chosen) {
  CLI::App* app = command(parent, "report", "The metrics report of a job, or of a conversation",
                          "  ba-agent report job-42\n  ba-agent report acme/weekly-report --json\n"
                          "  ba-agent report --conversation acme/weekly-report");
  auto arguments = std::make_shared<ReportArguments>();
  app->add_option("name", arguments->name,
                  "The job's id, or a conversation's, then of all its jobs; or TENANT/ID")
      ->required()
      ->check(not_empty());
  tenant_of_id(*app, arguments->tenant);
  app->add_flag("--conversation", arguments->conversation,
                "The id is a conversation's, also if a job has it");
  json_flag(*app, arguments->json);
  app->callback([=] { chosen(*arguments); });
}

void add_results(CLI::App& parent, const Chosen& chosen) {
  CLI::App* app =
      command(parent, "results", "Read the results topic, oldest first (committed records only)",
              "  ba-agent results --max 10\n  ba-agent results --follow --json\n"
              "  ba-agent results --tenant acme");
  auto arguments = std::make_shared<ResultsArguments>();
  app->add_flag("--follow", arguments->follow, "Wait for new results until interrupted");
  app->add_flag("--from-beginning", arguments->from_beginning,
                "With --follow: the earlier ones first (without --follow this is so anyway)");
  app->add_option("--max", arguments->results_max, "Stop after this many")
      ->check(number_from(0, 1'000'000'000));
  app->add_option("--tenant", arguments->tenant, "Only this tenant's (default: all)")
      ->check(not_empty());
  json_flag(*app, arguments->json);
  app->callback([=] { chosen(*arguments); });
}

void add_doctor(CLI::App& parent, const Chosen& chosen) {
  CLI::App* app = command(
      parent, "doctor", "Check every dependency and say what to do",
      "  ba-agent doctor\n  ba-agent doctor --call   # one tiny paid call of each model in use\n"
      "  ba-agent doctor --json");
  auto arguments = std::make_shared<DoctorArguments>();
  app->add_flag(
      "--call", arguments->call,
      "Also make one small call of each model in use: the default model, those of agents, "
      "skills and summaries");
  json_flag(*app, arguments->json);
  app->callback([=] { chosen(*arguments); });
}

void add_mcp(CLI::App& parent, const Chosen& chosen) {
  CLI::App* mcp = command(parent, "mcp", "Look at the configured servers of tools (MCP)",
                          "  ba-agent mcp list\n  ba-agent mcp list --json");
  mcp->require_subcommand(1);
  CLI::App* app = command(*mcp, "list", "Connect to each and show its tools and their hashes",
                          "  ba-agent mcp list\n"
                          "  ba-agent mcp list --json | jq '.servers[].tools[] | {name, hash}'");
  auto arguments = std::make_shared<McpListArguments>();
  json_flag(*app, arguments->json);
  app->callback([=] { chosen(*arguments); });
}

void add_version(CLI::App& parent, const Chosen& chosen) {
  CLI::App* app =
      command(parent, "version",
              "Print the version of the program, the database schema and the messages it writes",
              "  ba-agent version --json");
  auto arguments = std::make_shared<VersionArguments>();
  json_flag(*app, arguments->json);
  app->callback([=] { chosen(*arguments); });
}

/// A check of a flag that stands for a setting with a closed set of values, in any case.
template <typename Enum, std::size_t N>
CLI::Validator one_of(const EnumNames<Enum, N>& names) {
  std::vector<std::string> allowed;
  for (const auto& [unused, name] : names) allowed.emplace_back(name);
  const auto problem = [allowed](const std::string& text) -> std::string {
    if (std::ranges::find(allowed, lower_case(text)) != allowed.end()) return "";
    const auto near = nearest_word(text, allowed);
    return "\"" + shortened(text, kWordLetters) + "\" is not allowed: must be one of " +
           joined(allowed) + (near ? "; did you mean \"" + *near + "\"?" : "");
  };
  return {problem, ""};
}

struct GlobalOptions {
  std::string config_file;
  std::vector<std::string> settings;
  std::string log_level;
  std::string log_format;
};

void add_globals(CLI::App& app, GlobalOptions& options) {
  app.add_option("--config", options.config_file, "Configuration file")
      ->type_name("FILE")
      ->check([](const std::string& file) {
        return file.empty() ? std::string("it names no file: is a variable empty?") : std::string();
      });
  app.add_option(
         "--set", options.settings,
         "One setting, key=value; may be repeated; a key with dots in quotes: a.\"b.c\".d=1; a "
         "list or map as in YAML: a.b=['c', \"d, e\"]")
      ->allow_extra_args(false);
  app.add_option("--log-level", options.log_level, "debug, info, warning, error, critical")
      ->check(one_of(kLogLevelNames));
  app.add_option("--log-format", options.log_format, "json or text")
      ->check(one_of(kLogFormatNames));
}

void apply_globals(const GlobalOptions& options, Arguments& arguments) {
  if (!options.config_file.empty()) arguments.config_file = options.config_file;
  for (const std::string& pair : options.settings) {
    const std::size_t equals = pair.find('=');
    if (equals == 0 || equals == std::string::npos)
      throw CLI::ValidationError("--set",
                                 "\"" + shortened(pair, kWordLetters) + "\" is not key=value");
    const std::string path = pair.substr(0, equals);
    const std::string value = pair.substr(equals + 1);
    if (const auto problem = settings::key_path_problem(path))
      throw CLI::ValidationError("--set", shortened(path, kWordLetters) + ": " + *problem);
    if (const auto secret = secret_set_by(path, value))
      throw CLI::ValidationError("--set", shortened(*secret, kWordLetters) +
                                              " is a secret: everyone on this machine can read "
                                              "a command line; use the environment or the "
                                              "configuration file");
    if (!secrets_in(value).empty())
      throw CLI::ValidationError("--set", "the value of " + shortened(path, kWordLetters) +
                                              " holds a password or key: everyone on this machine "
                                              "can read a command line; use the environment or "
                                              "the configuration file");
    arguments.overrides.push_back({"--set", path, value});
  }
  if (!options.log_level.empty())
    arguments.overrides.push_back({"--log-level", "observability.log_level", options.log_level});
  if (!options.log_format.empty())
    arguments.overrides.push_back({"--log-format", "observability.log_format", options.log_format});
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

NothingToRun usage_error(const std::string& message) {
  return {kExitUsage, "", "ba-agent: " + message + "\n"};
}

constexpr std::size_t kMessageLetters = 400;  // of what may quote an argument

/// The library's own words in this program's form, but for a word that it doesn't know.
NothingToRun not_parsed(const CLI::App& app, const CLI::ParseError& error) {
  std::ostringstream out;
  std::ostringstream err;
  const bool answered = app.exit(error, out, err) == 0;
  // The help of a command that isn't there is none.
  if (const auto unknown = unknown_word_message(app)) return usage_error(*unknown);
  if (answered) return {kExitOk, out.str(), err.str()};
  return usage_error(printable(shortened(error.what(), kMessageLetters)) + "; see `" +
                     full_name_of_command(app) + " --help`");
}

}  // namespace

std::variant<Arguments, NothingToRun> parse_arguments(int argc, const char* const* argv) {
  if (const auto problem = encoding_problem(argc, argv)) return usage_error(*problem);
  CLI::App app(kAbout, "ba-agent");
  app.footer(kFooter);
  app.require_subcommand(1);
  app.fallthrough();
  app.set_help_all_flag("--help-all", "Help of every command");
  app.set_version_flag(
      "--version", [] { return version_text(version_facts()); },
      "Print the version (as `ba-agent version`)");
  GlobalOptions globals;
  add_globals(app, globals);
  Arguments arguments;
  const Chosen chosen = [&](CommandArguments command) { arguments.command = std::move(command); };
  add_worker(app, chosen);
  add_submit(app, chosen);
  add_show(app, chosen);
  add_job(app, chosen);
  add_dlq(app, chosen);
  add_report(app, chosen);
  add_results(app, chosen);
  add_doctor(app, chosen);
  add_migrate(app, chosen);
  add_topics(app, chosen);
  add_outbox(app, chosen);
  add_tool(app, chosen);
  add_skill(app, chosen);
  add_cache(app, chosen);
  add_artifact(app, chosen);
  add_mcp(app, chosen);
  add_config(app, chosen);
  add_encode(app, chosen);
  add_history(app, chosen);
  add_convert(app, chosen);
  add_export(app, chosen);
  add_import(app, chosen);
  add_tokens(app, chosen);
  add_version(app, chosen);
  try {
    app.parse(argc, argv);
    apply_globals(globals, arguments);
    return arguments;
  } catch (const CLI::ParseError& error) {
    return not_parsed(app, error);
  }
}

}  // namespace ba
