// SPDX-License-Identifier: Apache-2.0
#include "pipeline/tool/tool_runtime.hpp"

#include <exception>
#include <utility>

#include "pipeline/tool/observation.hpp"
#include "pipeline/tool/output_level.hpp"
#include "pipeline/tool/repair_utf8.hpp"

namespace ba {
namespace {

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text.empty() ? "none" : text;
}

ToolError unknown_tool(const ToolRegistry& registry, const ToolRequest& request) {
  return {.type = ToolErrorType::NotFound,
          .code = "TOOL_NOT_FOUND",
          .message = "There is no tool '" + cut_code_points(request.call.name, 64) +
                     "'. Available tools: " + joined(registry.names(request.allowed))};
}

ToolError tool_not_allowed(const ToolRegistry& registry, const ToolRequest& request) {
  return {.type = ToolErrorType::PermissionDenied,
          .code = "TOOL_NOT_ALLOWED",
          .message = "The tool '" + request.call.name +
                     "' may not be used here. Available tools: " +
                     joined(registry.names(request.allowed))};
}

ToolError permission_too_low(const ToolDescriptor& tool, PermissionLevel has) {
  return {.type = ToolErrorType::PermissionDenied,
          .code = "PERMISSION_DENIED",
          .message = "The tool '" + tool.name + "' needs permission level " +
                     std::string(to_string(tool.permission)) + "; this caller has " +
                     std::string(to_string(has))};
}

ToolError bad_arguments(std::string code, std::string message) {
  return {.type = ToolErrorType::InvalidParameters,
          .code = std::move(code),
          .message = std::move(message)};
}

/// Deterministic, so that each run of the same call has the same one.
std::string idempotency_key(const ToolRequest& request, const ToolDescriptor& tool) {
  const Position& at = request.position;
  return request.tenant.value + "/" + std::to_string(request.job.value) + "/" +
         std::to_string(at.round) + "/" + std::to_string(at.step) + "." + std::to_string(at.index) +
         "/" + tool.name + "@" + tool.version;
}

/// What happened to a call before its tool ran: the tool and its checked arguments, or why not.
struct Admission {
  const ToolRegistry::Entry* entry = nullptr;
  CheckedArguments arguments;
  std::optional<ToolError> refused;
};

Admission admit(const ToolRegistry& registry, const ToolRuntimeConfig& config,
                const ToolRequest& request) {
  Admission admission;
  admission.entry = registry.find(request.call.name);
  if (!admission.entry) {
    admission.refused = unknown_tool(registry, request);
    return admission;
  }
  const ToolDescriptor& tool = admission.entry->tool->descriptor();
  if (!allows(request.allowed, tool.name)) {
    admission.refused = tool_not_allowed(registry, request);
  } else if (request.permission < tool.permission) {
    admission.refused = permission_too_low(tool, request.permission);
  } else if (!request.call.valid()) {
    admission.refused = bad_arguments("INVALID_JSON", request.call.args_error);
  } else {
    const std::int64_t bytes_max = std::int64_t{config.max_input_mb} * 1024 * 1024;
    Result<CheckedArguments> checked =
        admission.entry->schema.check(request.call.args_json, bytes_max);
    if (checked)
      admission.arguments = std::move(*checked);
    else
      admission.refused = bad_arguments("INVALID_PARAMETERS", checked.error().message);
  }
  return admission;
}

/// One call, from the checks to its result: at most max_retries + 1 tries of the tool, one at a
/// time, each with its own timer.
class CallRun final : public ToolRun {
 public:
  CallRun(const ToolRegistry& registry, const ToolRuntimeConfig& config, const Clock& clock,
          Executor& executor, Random& random, ToolRequest request,
          std::function<void(ToolResult)> done)
      : config_(config),
        clock_(clock),
        executor_(executor),
        random_(random),
        started_(clock.now()),
        maybe_done_(request.maybe_done),
        done_(std::move(done)) {
    Admission admission = admit(registry, config, request);
    result_.tool_call_id = request.call.id;
    result_.output_level = level_of(request, admission);
    if (admission.refused) {
      fail_later(std::move(*admission.refused));
      return;
    }
    tool_ = admission.entry->tool.get();
    fill_invocation(request, std::move(admission.arguments));
    start_try();
  }

 private:
  OutputLevel level_of(const ToolRequest& request, const Admission& admission) const {
    LevelChoice choice;
    choice.asked = admission.arguments.output_level;
    if (admission.entry) choice.tool_default = admission.entry->tool->descriptor().default_level;
    choice.window_used = request.window_used;
    choice.brief_above_percent = config_.brief_above_window_percent;
    choice.global_default = request.agent_level.value_or(config_.output_level);
    return effective_level(choice);
  }

  void fill_invocation(const ToolRequest& request, CheckedArguments arguments) {
    const ToolDescriptor& tool = tool_->descriptor();
    invocation_.tool_call_id = request.call.id;
    invocation_.tool_name = tool.name;
    invocation_.tool_version = tool.version;
    invocation_.parameters = std::move(arguments.parameters);
    invocation_.output_level = result_.output_level;
    invocation_.timeout = tool.timeout;
    invocation_.retry_on_timeout = request.retry_on_timeout && tool.retry_on_timeout;
    invocation_.permission_level = request.permission;
    invocation_.tenant = request.tenant;
    invocation_.caller_id = request.caller_id;
    invocation_.idempotency_key = idempotency_key(request, tool);
    invocation_.job = request.job;
    invocation_.position = request.position;
  }

  void fail_later(ToolError error) {
    timer_ = executor_.after(Milliseconds(0), [this, error = std::move(error)]() mutable {
      finish_failed(std::move(error));
    });
  }

  void start_try() {
    timer_ = executor_.after(invocation_.timeout, [this] {
      run_.reset();
      RawToolResult raw;
      raw.error = timeout_error(invocation_.timeout);
      raw.outcome_unknown = tool_->descriptor().effect != EffectClass::Pure;
      answered(std::move(raw));
    });
    try {
      run_ = tool_->run(invocation_, [this](RawToolResult raw) { answered(std::move(raw)); });
    } catch (const std::exception& error) {
      fail_later({.type = ToolErrorType::InternalError,
                  .code = "TOOL_FAILED",
                  .message = std::string("The tool failed: ") + error.what()});
    }
  }

  void answered(RawToolResult raw) {
    timer_.reset();
    if (raw.outcome_unknown) maybe_done_ = true;
    if (may_retry(raw)) return retry_later(raw);
    if (!raw.error && !raw.outcome_unknown) return finish_succeeded(raw.data);
    // What one try may have done, the failure of a later one doesn't undo.
    if (maybe_done_) return finish_unknown(std::move(raw.error));
    finish_failed(std::move(*raw.error));
  }

  bool may_retry(const RawToolResult& raw) const {
    if (!raw.error && !raw.outcome_unknown) return false;
    if (raw.retry_useless || !repeatable(tool_->descriptor().effect)) return false;
    if (result_.retry_count >= config_.retry.max_retries) return false;
    if (!raw.error) return true;
    if (raw.error->type == ToolErrorType::Timeout && !invocation_.retry_on_timeout) return false;
    return config_.retry.retry_on.contains(raw.error->type);
  }

  void retry_later(const RawToolResult& raw) {
    if (raw.error && raw.error->type == ToolErrorType::Timeout)
      invocation_.timeout = longer_timeout(config_.retry, invocation_.timeout);
    const Milliseconds delay = retry_delay(config_.retry, result_.retry_count, random_.next());
    ++result_.retry_count;
    timer_ = executor_.after(delay, [this] { start_try(); });
  }

  void finish_succeeded(const std::string& data) {
    Result<FormattedResult> formatted =
        format_result(data, result_.output_level, config_.observation_bytes_max);
    if (!formatted)
      return finish_failed({.type = ToolErrorType::InternalError,
                            .code = "INVALID_TOOL_RESULT",
                            .message = formatted.error().message});
    result_.state = ToolCallState::Succeeded;
    result_.observation = std::move(formatted->text);
    result_.data_size_bytes = formatted->data_size_bytes;
    result_.data_summary = std::move(formatted->data_summary);
    finish();
  }

  void finish_failed(ToolError error) {
    repair_utf8(error.message);
    result_.state = ToolCallState::Failed;
    result_.observation = error_observation(error, result_.tool_call_id);
    result_.error = std::move(error);
    finish();
  }

  /// `error`: how the last try ended, for the record.
  void finish_unknown(std::optional<ToolError> error) {
    if (error) repair_utf8(error->message);
    result_.state = ToolCallState::Unknown;
    result_.error = std::move(error);
    result_.observation = outcome_unknown_observation(result_.tool_call_id);
    finish();
  }

  /// The last thing a run does: its owner may destroy it from inside done.
  void finish() {
    result_.duration = std::chrono::duration_cast<Milliseconds>(clock_.now() - started_);
    const auto done = std::move(done_);
    ToolResult result = std::move(result_);
    done(std::move(result));
  }

  const ToolRuntimeConfig& config_;
  const Clock& clock_;
  Executor& executor_;
  Random& random_;
  SteadyTime started_;
  bool maybe_done_;  ///< a try whose outcome is unknown may have had the effect
  std::function<void(ToolResult)> done_;
  Tool* tool_ = nullptr;
  ToolInvocation invocation_;
  ToolResult result_;
  std::unique_ptr<Timer> timer_;  ///< of the timeout, of the wait for a retry, or of a refusal
  std::unique_ptr<ToolRun> run_;
};

}  // namespace

std::vector<std::string> validate(const ToolRuntimeConfig& config) {
  std::vector<std::string> problems = validate(config.retry);
  const auto expect = [&](const char* key, std::int64_t value, Bounds bounds) {
    if (!bounds.hold(value))
      problems.push_back(std::string("tools.") + key + ": " + std::to_string(value) + " is not " +
                         bounds.text());
  };
  expect("brief_above_window_percent", config.brief_above_window_percent,
         tool_runtime_bounds::kPercent);
  expect("max_input_mb", config.max_input_mb, tool_runtime_bounds::kMaxInputMb);
  expect("observation_bytes_max", config.observation_bytes_max,
         tool_runtime_bounds::kObservationBytesMax);
  return problems;
}

ToolRuntime::ToolRuntime(const ToolRegistry& registry, ToolRuntimeConfig config, const Clock& clock,
                         Executor& executor, Random& random)
    : registry_(registry),
      config_(std::move(config)),
      clock_(clock),
      executor_(executor),
      random_(random) {}

std::unique_ptr<ToolRun> ToolRuntime::run(ToolRequest request,
                                          std::function<void(ToolResult)> done) {
  return std::make_unique<CallRun>(registry_, config_, clock_, executor_, random_,
                                   std::move(request), std::move(done));
}

ToolResult ToolRuntime::outcome_unknown(const ToolCallId& id) {
  ToolResult result;
  result.tool_call_id = id;
  result.state = ToolCallState::Unknown;
  result.observation = outcome_unknown_observation(id);
  return result;
}

bool ToolRuntime::needs_start_record(std::string_view tool_name) const {
  const ToolDescriptor* tool = descriptor(tool_name);
  return tool && tool->effect != EffectClass::Pure;
}

const ToolDescriptor* ToolRuntime::descriptor(std::string_view tool_name) const {
  const ToolRegistry::Entry* entry = registry_.find(tool_name);
  return entry ? &entry->tool->descriptor() : nullptr;
}

std::vector<ToolSpec> ToolRuntime::specs(const AllowedTools& allowed) const {
  return registry_.specs(allowed);
}

}  // namespace ba
