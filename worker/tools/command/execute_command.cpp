// SPDX-License-Identifier: Apache-2.0
#include "worker/tools/command/execute_command.hpp"

#include <algorithm>
#include <cctype>
#include <chrono>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "pipeline/base/exact_json.hpp"
#include "pipeline/core/skill/skill.hpp"
#include "pipeline/core/tool/observation.hpp"
#include "worker/tools/files/artifact_file.hpp"

namespace ba::command {
namespace {

using Json = nlohmann::ordered_json;
using SteadyClock = std::chrono::steady_clock;

constexpr int kCommandCharsMax = 30'000;  // with four bytes each it is one argument of a program
constexpr int kTextCharsMax = 1'000'000;
constexpr int kFilesMax = 32;
constexpr std::size_t kScriptsMax = 256;  ///< each is an open file until the command is over
constexpr int kTimeoutMsMost = 86'400'000;
constexpr std::size_t kNameBytesMax = 100;
constexpr const char* kJsonArtifact = "artifact.json";
constexpr const char* kTextArtifact = "artifact.txt";
constexpr Milliseconds kAnswerTime{250};  ///< kept of the time, to kill and to answer in it

Json text(int chars_max, const char* description) {
  return {{"type", "string"}, {"maxLength", chars_max}, {"description", description}};
}

std::string schema(bool artifacts) {
  Json command = text(kCommandCharsMax, "A command line for /bin/sh.");
  command["minLength"] = 1;
  // Names are checked here and not by a pattern: beside one, no text may be long.
  const Json files = {{"type", "object"},
                      {"maxProperties", kFilesMax},
                      {"additionalProperties", {{"type", "string"}, {"maxLength", kTextCharsMax}}},
                      {"description", "Files to put into its work directory: name to content."}};
  const Json timeout = {{"type", "integer"},
                        {"minimum", 1},
                        {"maximum", kTimeoutMsMost},
                        {"description", "End it after so many milliseconds, if not earlier."},
                        {"x-semantic", "ignore"}};
  Json properties = {{"command", command},
                     {"stdin", text(kTextCharsMax, "What it reads on its standard input.")},
                     {"files", files},
                     {"timeout_ms", timeout}};
  if (artifacts)
    properties["artifact_id"] = {
        {"type", "string"},
        {"description",
         "An artifact, as named by an earlier result: its data is the file artifact.json in the "
         "work directory, a text artifact.txt."},
        {"x-artifact", true}};
  return tools::call_schema(std::move(properties), {"command"});
}

std::string description_of(const CommandConfig& config) {
  const auto megabytes = [](std::int64_t bytes) { return std::to_string(bytes >> 20) + " MiB"; };
  return "Runs a command line in a sandbox and returns how it ended (exit, signal, timeout or a "
         "limit that it reached), exit_code, stdout and stderr. It has the programs of /usr, no "
         "network, no sockets and no other files than those "
         "given, and the text files of active skills, read-only: /skills/SKILL/FILE; nothing is "
         "kept after "
         "it. "
         "Memory " +
         megabytes(config.memory_bytes_max) + ", files " + megabytes(config.disk_bytes_max) + " (" +
         std::to_string(config.files_max) + " at most), " + std::to_string(config.processes_max) +
         " processes, output " + std::to_string(config.output_bytes_max >> 10) + " KiB.";
}

bool well_named(std::string_view name) {
  const auto allowed = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-' || c == '.';
  };
  return !name.empty() && name.size() <= kNameBytesMax && name[0] != '.' && name[0] != '-' &&
         std::ranges::all_of(name, allowed);
}

struct Wanted {
  SandboxOrder order;  ///< its time is set when it begins
  SteadyClock::time_point asked;
  Milliseconds call_timeout{0};
  Milliseconds answer_time{0};
  std::optional<Milliseconds> own_timeout;  ///< that the model wants for the command
  std::int64_t artifact_bytes = 0;          ///< of the artifact that it gives; 0: none
};

Wanted wanted_of(const ToolInvocation& invocation) {
  const auto arguments = arguments_of(invocation);
  const Json& parameters = *arguments;  // checked against the schema
  Wanted wanted;
  wanted.order.command = parameters.at("command").get<std::string>();
  wanted.order.input = parameters.value("stdin", "");
  if (parameters.contains("files"))
    for (const auto& [name, content] : parameters.at("files").items())
      wanted.order.files[name] = content.get<std::string>();
  const auto artifact = invocation.artifacts.find("artifact_id");
  if (artifact != invocation.artifacts.end()) {
    files::ArtifactFile file = files::artifact_file(artifact->second.text(), false, 0);
    wanted.artifact_bytes = static_cast<std::int64_t>(file.content.size());
    wanted.order.files[file.form == files::ArtifactForm::Text ? kTextArtifact : kJsonArtifact] =
        std::move(file.content);
  }
  for (const auto& skill : invocation.active_skills)
    for (const SkillFile& script : skill->files)
      if (script.text) wanted.order.scripts[skill->name + "/" + script.path] = *script.text;
  wanted.asked = SteadyClock::now();
  wanted.call_timeout = invocation.timeout;
  wanted.answer_time = std::min(kAnswerTime, invocation.timeout / 4);
  if (parameters.contains("timeout_ms"))
    wanted.own_timeout = Milliseconds(parameters.at("timeout_ms").get<std::int64_t>());
  return wanted;
}

/// The model's time is the command's alone; that of the call also covers the wait before it.
RawToolResult perform(const Sandbox& sandbox, Wanted wanted,
                      const tools::Cancellation& cancellation) {
  const auto waited = std::chrono::duration_cast<Milliseconds>(SteadyClock::now() - wanted.asked);
  const Milliseconds left =
      std::max(Milliseconds(1), wanted.call_timeout - wanted.answer_time - waited);
  const bool by_the_model = wanted.own_timeout && *wanted.own_timeout < left;
  wanted.order.timeout = by_the_model ? *wanted.own_timeout : left;
  Result<SandboxOutcome> outcome = sandbox.run(wanted.order, cancellation);
  if (!outcome && outcome.error().retry == Retry::Later)
    return tools::failed_with(
        {ToolErrorType::ResourceError, "NO_RESOURCES",
         "The command could not be started for lack of resources; try later."});
  // The reason and the remedy are for whoever runs the worker: in its log, and by `doctor`.
  if (!outcome)
    return tools::failed_with(
        {ToolErrorType::DependencyError, "SANDBOX_UNAVAILABLE",
         "Commands are run in a sandbox only, and this worker can't make one. "
         "An operator can: `ba-agent doctor` says how."});
  RawToolResult result;
  const SandboxEnd end = outcome->end;
  result.metrics = command_metrics(*outcome, waited);
  result.data = command_answer(std::move(*outcome), waited);
  if (end != SandboxEnd::Timeout) return result;
  result.error = timeout_error(by_the_model ? *wanted.own_timeout : wanted.call_timeout);
  result.retry_useless = by_the_model;  // a longer time isn't what was asked for
  return result;
}

RawToolResult not_begun(ToolError error) {
  RawToolResult result = tools::failed_with(std::move(error));
  result.never_happened = true;
  return result;
}

/// How long a call may wait for a thread: half of its time, at least, is for the command.
tools::BlockingRuns::Patience patience(const CommandConfig& config, Milliseconds timeout) {
  const Milliseconds wait_max = std::min(config.wait_max, timeout / 2);
  ToolError error{ToolErrorType::ResourceError, "TOO_MANY_COMMANDS",
                  "The command was not started: as many as may run at a time (" +
                      std::to_string(config.threads) + ") were running for " +
                      std::to_string(wait_max.count()) + "ms. Try again later."};
  return {wait_max, not_begun(std::move(error))};
}

}  // namespace

ExecuteCommand::ExecuteCommand(const CommandConfig& config, Executor& executor)
    : config_(config), sandbox_(config), runs_("command", config.threads, executor) {
  descriptor_.name = "execute_command";
  descriptor_.description = description_of(config);
  descriptor_.parameters_schema = schema(config.artifacts);
  // Nothing of a command stays, but it may answer otherwise each time, and one that took its worker
  // down would take down the next: it isn't run again by itself, nor is its answer kept.
  descriptor_.effect = EffectClass::Once;
  descriptor_.cache_policy = CachePolicy::NoCache;
  descriptor_.permission = config.permission;
}

std::optional<ToolError> ExecuteCommand::refusal(const std::string& parameters) const {
  const Json read = parse_exact_known<Json>(parameters);
  if (read.at("command").get_ref<const std::string&>().find('\0') != std::string::npos)
    return ToolError{ToolErrorType::InvalidParameters, "INVALID_PARAMETERS",
                     "command has the character U+0000, which no command line can have: leave it "
                     "out, or give such bytes in stdin or files."};
  if (!read.contains("files")) return std::nullopt;
  for (const auto& [name, content] : read.at("files").items()) {
    if (read.contains("artifact_id") && (name == kJsonArtifact || name == kTextArtifact))
      return ToolError{ToolErrorType::InvalidParameters, "INVALID_FILE_NAME",
                       "'" + name + "' is the file of the artifact: give another name."};
    if (!well_named(name))
      return ToolError{ToolErrorType::InvalidParameters, "INVALID_FILE_NAME",
                       "'" + name.substr(0, kNameBytesMax) +
                           "' is no name for a file here: up to 100 letters, digits, '.', '_' and "
                           "'-', the first neither '.' nor '-'; no directories."};
  }
  return std::nullopt;
}

std::optional<ToolError> ExecuteCommand::too_many(std::size_t scripts) {
  if (scripts <= kScriptsMax) return std::nullopt;
  return ToolError{ToolErrorType::InvalidParameters, "TOO_MANY_SCRIPTS",
                   "The active skills have " + std::to_string(scripts) +
                       " files; a command can be given " + std::to_string(kScriptsMax) +
                       ". Deactivate a skill that it doesn't need."};
}

/// It shares the work directory with what the command writes.
std::optional<ToolError> ExecuteCommand::too_large(std::int64_t artifact_bytes) const {
  if (artifact_bytes <= config_.disk_bytes_max / 2) return std::nullopt;
  return ToolError{ToolErrorType::InvalidParameters, "ARTIFACT_TOO_LARGE",
                   "The artifact has " + std::to_string(artifact_bytes) +
                       " bytes; a command can be given " +
                       std::to_string(config_.disk_bytes_max / 2) +
                       ", half of its files. Read a part of it with file_reader, and give that."};
}

std::unique_ptr<ToolRun> ExecuteCommand::run(ToolInvocation invocation,
                                             std::function<void(RawToolResult)> done) {
  const Milliseconds timeout = invocation.timeout;
  return runs_.start(
      [this, invocation = std::move(invocation), asked = SteadyClock::now()](
          int, const tools::Cancellation& cancellation, const tools::BlockingRuns::Answer& answer) {
        if (const auto refused = refusal(invocation.parameters)) return answer(not_begun(*refused));
        Wanted wanted = wanted_of(invocation);
        wanted.asked = asked;
        if (const auto unfit = too_large(wanted.artifact_bytes)) return answer(not_begun(*unfit));
        if (const auto unfit = too_many(wanted.order.scripts.size()))
          return answer(not_begun(*unfit));
        answer(perform(sandbox_, std::move(wanted), cancellation));
      },
      std::move(done), patience(config_, timeout));
}

}  // namespace ba::command
