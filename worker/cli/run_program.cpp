// SPDX-License-Identifier: Apache-2.0
#include "worker/cli/run_program.hpp"

#include <cerrno>
#include <cstring>
#include <exception>
#include <ostream>

#include "worker/cli/program/commands.hpp"
#include "worker/cli/program/needs.hpp"
#include "worker/cli/program/parse_arguments.hpp"
#include "worker/cli/tools/tool_name_check.hpp"
#include "worker/config/load_config.hpp"

namespace ba {
namespace {

/// Calls the function of the command that was chosen.
struct Dispatch {
  const CliSession& session;

  int operator()(const WorkerArguments&) const {
    if (!session.hooks.run_worker) return no_runtime();
    if (const auto database = postgres_of(session.config()); !database)
      return session.terminal.fail(database.error());
    if (const auto brokers = kafka_of(session.config()); !brokers)
      return session.terminal.fail(brokers.error());
    const auto ran = session.hooks.run_worker(session.loaded);
    return ran ? static_cast<int>(kExitOk) : exit_code_of_start(ran.error());
  }
  int operator()(const MigrateArguments& a) const { return migrate_command(a, session); }
  int operator()(const TopicsArguments& a) const { return topics_command(a, session); }
  int operator()(const SubmitArguments& a) const { return submit_command(a, session); }
  int operator()(const ShowArguments& a) const { return show_command(a, session); }
  int operator()(const ReportArguments& a) const { return report_command(a, session); }
  int operator()(const JobControlArguments& a) const { return job_control_command(a, session); }
  int operator()(const JobListArguments& a) const { return job_list_command(a, session); }
  int operator()(const JobForkArguments& a) const { return job_fork_command(a, session); }
  int operator()(const JobResolveArguments& a) const { return job_resolve_command(a, session); }
  int operator()(const DlqListArguments& a) const { return dlq_list_command(a, session); }
  int operator()(const DlqShowArguments& a) const { return dlq_show_command(a, session); }
  int operator()(const DlqRedriveArguments& a) const { return dlq_redrive_command(a, session); }
  int operator()(const OutboxVerifyArguments& a) const { return outbox_verify_command(a, session); }
  int operator()(const ResultsArguments& a) const { return results_command(a, session); }
  int operator()(const DoctorArguments& a) const { return doctor_command(a, session); }
  int operator()(const SkillListArguments& a) const { return skill_list_command(a, session); }
  int operator()(const SkillShowArguments& a) const { return skill_show_command(a, session); }
  int operator()(const SkillCheckArguments& a) const { return skill_check_command(a, session); }
  int operator()(const McpListArguments& a) const { return mcp_list_command(a, session); }
  int operator()(const ConfigCheckArguments& a) const { return config_check_command(a, session); }
  int operator()(const ConfigSchemaArguments&) const { return config_schema_command(session); }
  int operator()(const ConfigPrintArguments& a) const { return config_print_command(a, session); }
  int operator()(const EncodeArguments& a) const { return encode_command(a, session); }
  int operator()(const TokensCountArguments& a) const { return tokens_count_command(a, session); }
  int operator()(const HistoryCompressArguments& a) const {
    return history_compress_command(a, session);
  }
  int operator()(const ConvertArguments& a) const { return convert_command(a, session); }
  int operator()(const ExportArguments& a) const { return export_command(a, session); }
  int operator()(const ImportArguments& a) const { return import_command(a, session); }
  int operator()(const TokensInfoArguments& a) const { return tokens_info_command(a, session); }
  int operator()(const CacheStatsArguments& a) const { return cache_stats_command(a, session); }
  int operator()(const CacheShowArguments& a) const { return cache_show_command(a, session); }
  int operator()(const CachePurgeArguments& a) const { return cache_purge_command(a, session); }
  int operator()(const ArtifactListArguments& a) const { return artifact_list_command(a, session); }
  int operator()(const ArtifactShowArguments& a) const { return artifact_show_command(a, session); }
  int operator()(const ToolListArguments& a) const { return tool_list_command(a, session); }
  int operator()(const ToolDescribeArguments& a) const { return tool_describe_command(a, session); }
  int operator()(const ToolExplainArguments& a) const { return tool_explain_command(a, session); }
  int operator()(const ToolRunArguments& a) const { return tool_run_command(a, session); }
  int operator()(const VersionArguments& a) const { return version_command(a, session); }

  int no_runtime() const {
    session.terminal.failure("this program was built without what runs jobs");
    return kExitFailed;
  }
};

/// Commands that look at a wrong configuration rather than work with it, or need none.
bool bears_wrong_configuration(const CommandArguments& command) {
  return std::holds_alternative<ConfigCheckArguments>(command) ||
         std::holds_alternative<ConfigPrintArguments>(command) ||
         std::holds_alternative<ConfigSchemaArguments>(command) ||
         std::holds_alternative<DoctorArguments>(command) ||
         std::holds_alternative<EncodeArguments>(command) ||
         std::holds_alternative<SkillCheckArguments>(command) ||
         std::holds_alternative<ConvertArguments>(command) ||
         std::holds_alternative<TokensCountArguments>(command) ||
         std::holds_alternative<TokensInfoArguments>(command) ||
         std::holds_alternative<VersionArguments>(command);
}

/// The exit code, once all output has left; a failure where it could not (a full disk).
int written(Terminal& terminal, int code) {
  errno = 0;
  if (terminal.out().flush()) return code;
  const std::string why = errno != 0 ? std::string(": ") + std::strerror(errno) : std::string();
  terminal.failure("can't write to standard output" + why);
  return code == kExitOk ? static_cast<int>(kExitFailed) : code;
}

}  // namespace

int run_program(int argc, const char* const* argv, const Environment& environment,
                Terminal& terminal, const ProgramHooks& hooks) {
  auto parsed = parse_arguments(argc, argv);
  if (const auto* nothing = std::get_if<NothingToRun>(&parsed)) {
    terminal.out() << nothing->out;
    terminal.err() << nothing->err;
    return written(terminal, nothing->exit_code);
  }
  const Arguments& arguments = std::get<Arguments>(parsed);
  LoadedConfig loaded = load_config({arguments.config_file, environment, arguments.overrides});
  check_tool_names(loaded);
  terminal.hide(loaded.findings.secrets);
  if (!loaded.usable() && !bears_wrong_configuration(arguments.command)) {
    for (const std::string& error : loaded.findings.errors()) terminal.failure(printable(error));
    return kExitConfiguration;
  }
  const CliSession session{loaded, terminal, hooks};
  try {
    const int code = std::visit(Dispatch{session}, arguments.command);
    // A worker's standard output is its log's, which copes with what it can't write.
    const bool worker = std::holds_alternative<WorkerArguments>(arguments.command);
    return worker ? code : written(terminal, code);
  } catch (const std::exception& error) {
    terminal.failure(std::string("internal error: ") + error.what());
    return kExitFailed;
  }
}

}  // namespace ba
