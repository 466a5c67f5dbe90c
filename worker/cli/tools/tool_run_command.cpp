// SPDX-License-Identifier: Apache-2.0
// `ba-agent tool run`: one call as a job would make it.
#include <array>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <ostream>
#include <random>

#include "pipeline/base/exact_json.hpp"
#include "pipeline/core/sub_agent/task_tool.hpp"
#include "pipeline/core/tool/artifact.hpp"
#include "pipeline/core/tool/telemetry_json.hpp"
#include "pipeline/core/tool/versioned_result.hpp"
#include "worker/cli/program/wording.hpp"
#include "worker/cli/tools/tool_calls.hpp"
#include "worker/cli/tools/tool_catalogue.hpp"

namespace ba::cli {
namespace {

constexpr int kTimeoutMsMax = 24 * 3'600'000;

struct RunArguments {
  ToolCallArguments call;
  std::optional<int> timeout_ms;  ///< of the first try; none: the tool's
  bool no_retry_on_timeout = false;
  bool json = false;
};

void declare(CLI::App& app, RunArguments& arguments) {
  const GivenArguments given =
      declare_call(app, arguments.call, "The arguments as JSON, or - for standard input");
  app.add_option("--timeout-ms", arguments.timeout_ms,
                 "Time-out of the first try (default: the tool's own)")
      ->check(number_from(1, kTimeoutMsMax));
  app.add_flag("--no-retry-on-timeout", arguments.no_retry_on_timeout,
               "Do not try again after a time-out");
  json_flag(app, arguments.json, JsonForm::Document);
  app.callback([given] {
    if (!given.any()) throw CLI::RequiredError(kNoCallArguments);
  });
}

using Json = nlohmann::ordered_json;

/// Each run of this command is a call of its own.
std::string new_key() {
  std::random_device device;
  std::array<char, 40> text{};
  std::snprintf(text.data(), text.size(), "cli-%08x%08x%08x", device(), device(), device());
  return text.data();
}

/// The versioned record, and what is known of this call beside it.
Json as_json(const ToolResult& result) {
  Json json = parse_exact_known<Json>(write_tool_result(result));
  json["state"] = to_string(result.state);
  json["semantic_key"] = result.telemetry.semantic_key;
  json["cache_hit"] = result.telemetry.cache_hit;
  json["telemetry"] = parse_exact_known<Json>(telemetry_json(result.telemetry));
  return json;
}

/// A tool that lacks its configuration: which one, rather than that there is no such tool.
Result<void> check_configured(const std::string& tool, const ToolCatalogue& catalogue,
                              const config::LoadedConfig& loaded) {
  const auto key = catalogue.lacks(tool);
  if (!key || tool == kTaskTool) return {};                // which only a worker can run
  if (mcp::may_offer(loaded.config.mcp, tool)) return {};  // a server's may have that name
  return configuration_error(
      tool + " is not configured: set " + *key +
      (loaded.file.empty() ? " (no configuration file was found)" : " in " + loaded.file));
}

/// Of a call that seems to hang: what goes on, and how long it may.
std::string retry_text(const ToolRetry& retry) {
  const std::string why = retry.error ? retry.error->message : "its outcome is unknown";
  return "try " + std::to_string(retry.tries) + " failed: " + why + "; next in " +
         seconds_text(retry.delay) + ", for " + seconds_text(retry.timeout) + " at most";
}

/// Of a result that a job would keep beside its conversation: no job could read it, so none is
/// kept of this call. Empty: a model reads no less than what is printed.
std::string artifact_note(const ToolResult& result, const ToolRuntimeConfig& config) {
  const bool full = result.output_level == OutputLevel::Full && !result.in_part;
  const bool kept = result.state == ToolCallState::Succeeded &&
                    becomes_artifact({result.data_size_bytes, result.in_part, full});
  if (!kept || (full && result.data_size_bytes <= config.inline_full_max_bytes)) return "";
  return "a job would keep this result of " + std::to_string(result.data_size_bytes) +
         " bytes as an artifact; " +
         (full ? "here all of it is printed"
               : "with \"output_level\": \"full\" all of it is printed");
}

void show(const ToolResult& result, const CliSession& session) {
  session.terminal.out() << printable(result.observation) << "\n";
  const std::string note = artifact_note(result, session.config().tool_runtime);
  if (!note.empty() && session.config().artifacts.enabled) session.terminal.message(note);
}

int run(const RunArguments& arguments, const CliSession& session) {
  Terminal& terminal = session.terminal;
  if (!session.hooks.run_tool) {
    terminal.failure("this program was built without the part that runs tools");
    return kExitFailed;
  }
  auto args = given_arguments(arguments.call, session.config().llm.limits.tool_args_bytes_max);
  if (!args) return terminal.fail(args.error());
  const auto catalogue = ToolCatalogue::make(session.config());
  if (!catalogue) return terminal.fail(catalogue.error());
  // Of a server's tools only the server knows.
  if (!catalogue->find(arguments.call.tool) &&
      !mcp::may_offer(session.config().mcp, arguments.call.tool))
    return terminal.fail(no_such_tool(*catalogue, session.config(), arguments.call.tool));
  auto request = tool_request(arguments.call, session.config(), catalogue->tools());
  if (!request) return terminal.fail(request.error());
  request->call.args_json = std::move(*args);
  request->uncut = true;
  if (arguments.timeout_ms) request->timeout = Milliseconds(*arguments.timeout_ms);
  if (arguments.no_retry_on_timeout) request->retry_on_timeout = false;
  request->idempotency_key = request->given_key.empty() ? new_key() : "cli-" + request->given_key;
  if (!arguments.json)
    request->retrying = [&](const ToolRetry& retry) {
      terminal.message(printable(retry_text(retry)));
    };
  if (const auto there = check_configured(arguments.call.tool, *catalogue, session.loaded); !there)
    return terminal.fail(there.error());
  const auto result = session.hooks.run_tool(session.loaded, *request);
  if (!result) {
    terminal.fail(result.error());
    return exit_code_of_start(result.error());  // nothing was called: a call's failure is a result
  }
  if (arguments.json)
    terminal.out() << dump_exact(as_json(*result), 2) << "\n";
  else
    show(*result, session);
  return result->state == ToolCallState::Succeeded ? kExitOk : kExitFailed;
}

constexpr const char* kNotes =
    "The call is made as a job of that tenant and agent would make it: with the same permissions,\n"
    "checks and retries. If postgres.url is set, kept results are used. It is a real call: a tool\n"
    "that writes does write.\n"
    "\n"
    "The result is printed as a model would read it. A job keeps a large result as an artifact, "
    "and\n"
    "its model reads a part. Here nothing is kept. \"output_level\": \"full\" among the arguments\n"
    "prints all of it. Standard error tells of each try that failed. --json prints the outcome "
    "alone.\n"
    "\n"
    "A tool of an MCP server is named SERVER_TOOL. The command first connects to the configured\n"
    "servers. `task`, which starts sub-agents, runs in a worker only.";

}  // namespace

Command tool_run_command() {
  return command<RunArguments>(
      {.name = "tool run",
       .summary = "Call a tool now, as a job would",
       .notes = kNotes,
       .examples =
           "  ba-agent tool run query_database '{\"sql\": \"SELECT count(*) FROM flights\"}'\n"
           "  ba-agent tool run query_database '{\"sql\": \"SELECT 1\"}' --cache-policy no_cache "
           "--json\n"
           "  ba-agent tool run file_write --args-file report.json   # more than a shell takes"},
      declare, run);
}

}  // namespace ba::cli
