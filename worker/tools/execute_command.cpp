// SPDX-License-Identifier: Apache-2.0
#include "worker/tools/execute_command.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "pipeline/tool/observation.hpp"
#include "pipeline/tool/repair_utf8.hpp"

namespace ba {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kCommandCharsMax = 30'000;  // with four bytes each it is one argument of a program
constexpr int kTextCharsMax = 1'000'000;
constexpr int kFilesMax = 32;
constexpr Milliseconds kAnswerTime{250};  ///< kept of the time, to kill and to answer in it
constexpr double kBytesOfMb = 1024.0 * 1024.0;

Json text(int chars_max, const char* description) {
  return {{"type", "string"}, {"maxLength", chars_max}, {"description", description}};
}

std::string schema() {
  Json command = text(kCommandCharsMax, "A command line for /bin/sh.");
  command["minLength"] = 1;
  const Json files = {{"type", "object"},
                      {"maxProperties", kFilesMax},
                      {"patternProperties",
                       {{"^[A-Za-z0-9_][A-Za-z0-9._-]{0,99}$",
                         {{"type", "string"}, {"maxLength", kTextCharsMax}}}}},
                      {"additionalProperties", false},
                      {"description", "Files to put into its work directory: name to content."}};
  const Json timeout = {{"type", "integer"},
                        {"minimum", 1},
                        {"description", "End it after so many milliseconds, if not earlier."},
                        {"x-semantic", "ignore"}};
  const Json schema = {{"type", "object"},
                       {"properties",
                        {{"command", command},
                         {"stdin", text(kTextCharsMax, "What it reads on its standard input.")},
                         {"files", files},
                         {"timeout_ms", timeout}}},
                       {"required", {"command"}},
                       {"additionalProperties", false}};
  return schema.dump();
}

std::string description_of(const CommandConfig& config) {
  const auto megabytes = [](std::int64_t bytes) { return std::to_string(bytes >> 20) + " MiB"; };
  return "Runs a command line in a sandbox and returns exit_code (128 + N: ended by signal N), "
         "stdout and stderr. It has the programs of /usr, no network and no other files than those "
         "given; nothing is kept after it. Memory " +
         megabytes(config.memory_bytes_max) + ", files " + megabytes(config.disk_bytes_max) + ", " +
         std::to_string(config.processes_max) + " processes, output " +
         std::to_string(config.output_bytes_max >> 10) + " KiB.";
}

struct Wanted {
  SandboxOrder order;
  Milliseconds timeout{0};  ///< as it is named to the model
  bool by_the_model = false;
};

Wanted wanted_of(const ToolInvocation& invocation) {
  const Json parameters = Json::parse(invocation.parameters);  // checked against the schema
  Wanted wanted;
  wanted.order.command = parameters.at("command").get<std::string>();
  wanted.order.input = parameters.value("stdin", "");
  if (parameters.contains("files"))
    for (const auto& [name, content] : parameters.at("files").items())
      wanted.order.files[name] = content.get<std::string>();
  const Milliseconds answer = std::min(kAnswerTime, invocation.timeout / 4);
  const Milliseconds most = invocation.timeout - answer;
  const Milliseconds asked(parameters.value("timeout_ms", invocation.timeout.count()));
  wanted.by_the_model = asked < most;
  wanted.timeout = std::min(asked, invocation.timeout);
  wanted.order.timeout = std::min(asked, most);
  return wanted;
}

std::string why(const SandboxOutcome& outcome) {
  switch (outcome.end) {
    case SandboxEnd::OutputLimit:
      return "killed: it wrote more than is taken; the output is cut";
    case SandboxEnd::MemoryLimit:
      return "killed: it took more memory than it may";
    case SandboxEnd::Timeout:
      return "killed: it took too long; this is what it wrote until then";
    default:
      return {};
  }
}

std::string data_of(SandboxOutcome& outcome) {
  const bool repaired =
      static_cast<int>(repair_utf8(outcome.out)) + static_cast<int>(repair_utf8(outcome.err)) > 0;
  Json data;
  if (outcome.end == SandboxEnd::Exited) data["exit_code"] = outcome.exit_code;
  if (const std::string note = why(outcome); !note.empty()) data["note"] = note;
  if (outcome.end == SandboxEnd::OutputLimit) data["truncated"] = true;
  if (repaired) data["not_utf8"] = "bytes that are no text were replaced";
  data["stdout"] = std::move(outcome.out);
  data["stderr"] = std::move(outcome.err);
  data["duration_ms"] = outcome.duration.count();
  return data.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::map<std::string, double> metrics_of(const SandboxOutcome& outcome) {
  const auto wall = static_cast<double>(std::max<std::int64_t>(1, outcome.duration.count()));
  const auto cpu = static_cast<double>(outcome.cpu.count());
  return {{"memory_peak_mb", static_cast<double>(outcome.memory_peak_bytes) / kBytesOfMb},
          {"cpu_ms", cpu},
          {"cpu_percent", 100.0 * cpu / wall}};
}

RawToolResult perform(const Sandbox& sandbox, const Wanted& wanted,
                      const Cancellation& cancellation) {
  RawToolResult result;
  Result<SandboxOutcome> outcome = sandbox.run(wanted.order, cancellation);
  if (!outcome && outcome.error().retry == Retry::Later) {
    result.error = ToolError{ToolErrorType::ResourceError, "NO_RESOURCES",
                             "The command could not be started for lack of resources; try later."};
  } else if (!outcome) {
    // The reason and the remedy are for whoever runs the worker: in its log, and by `doctor`.
    result.error = ToolError{ToolErrorType::DependencyError, "SANDBOX_UNAVAILABLE",
                             "Commands are run in a sandbox only, and this worker can't make one. "
                             "An operator can: `ba-agent doctor` says how."};
  } else {
    result.metrics = metrics_of(*outcome);
    result.data = data_of(*outcome);
    if (outcome->end == SandboxEnd::Timeout) {
      result.error = timeout_error(wanted.timeout);
      result.retry_useless = wanted.by_the_model;  // a longer time isn't what was asked for
    }
  }
  return result;
}

}  // namespace

ExecuteCommand::ExecuteCommand(const CommandConfig& config, Executor& executor)
    : sandbox_(config), runs_("command", config.threads, executor) {
  descriptor_.name = "execute_command";
  descriptor_.description = description_of(config);
  descriptor_.parameters_schema = schema();
  // Nothing of a command stays, but it may answer otherwise each time, and one that took its worker
  // down would take down the next: it isn't run again by itself, nor is its answer kept.
  descriptor_.effect = EffectClass::Once;
  descriptor_.cache_policy = CachePolicy::NoCache;
  descriptor_.permission = config.permission;
}

std::unique_ptr<ToolRun> ExecuteCommand::run(ToolInvocation invocation,
                                             std::function<void(RawToolResult)> done) {
  return runs_.start(
      [this, wanted = wanted_of(invocation)](int, const Cancellation& cancellation,
                                             const BlockingRuns::Answer& answer) {
        answer(perform(sandbox_, wanted, cancellation));
      },
      std::move(done));
}

}  // namespace ba
