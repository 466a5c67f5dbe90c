// SPDX-License-Identifier: Apache-2.0
#include "pipeline/core/sub_agent/task_tool.hpp"

#include <algorithm>

#include "pipeline/base/joined.hpp"
#include "pipeline/core/tool/call_reading.hpp"
#include "pipeline/text/message/json_text.hpp"

namespace ba {
namespace {

constexpr const char* kArtifactParameter = "artifact_id";

constexpr std::string_view kDescription =
    "Gives a piece of work to a sub-agent, which works on it by itself, with tools of its own, and "
    "answers once. It sees nothing of this conversation but the prompt: put everything into it "
    "that it needs, and say what it is to answer with. Several calls in one reply run at the same "
    "time. Its answer ends with its agentId; give that as agent_id to go on with the same "
    "sub-agent, which remembers what it has done.";

/// `%` stands for what the types are, `^` for what artifacts are.
constexpr std::string_view kSchema = R"({"type":"object","properties":{
  "description":{"type":"string","minLength":1,"maxLength":200,"description":"the work in three to five words"},
  "prompt":{"type":"string","minLength":1,"maxLength":200000,"description":"the whole task"},
  "subagent_type":{"type":"string","minLength":1,"maxLength":200%},
  "agent_id":{"type":"string","maxLength":64,"description":"of an earlier sub-agent of this conversation, to go on with it; same subagent_type"}^},
  "required":["description","prompt","subagent_type"],"additionalProperties":false})";

constexpr std::string_view kArtifactSchema = R"(,
  "artifact_id":{"type":"string","x-artifact":true,"description":"An artifact, as named by an earlier result, for the sub-agent: it is told the id and what the data is, and reads it with its own tools; one without such tools is given the beginning."})";

std::string schema_with(const std::string& types, bool artifacts) {
  std::string schema(kSchema);
  schema.replace(schema.find('^'), 1, artifacts ? kArtifactSchema : "");
  return schema.replace(schema.find('%'), 1, types);
}

std::string upper(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(),
                 [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c; });
  return out;
}

std::string closing_line(const std::string& agent_id) {
  return "agentId: " + agent_id + " (for resuming)";
}

/// Nothing of the call is in doubt: the ledger says how the sub-agent ended.
RawToolResult failed(ToolError error) {
  RawToolResult raw;
  raw.error = std::move(error);
  raw.never_happened = true;
  raw.retry_useless = true;
  return raw;
}

RawToolResult ended_early(const SubAgentEnd& end, const std::string& agent_id) {
  std::string message =
      "The sub-agent ended without a final answer (" + std::string(to_string(end.outcome)) + ")";
  if (end.error) message += ": " + end.error->message;
  if (!end.answer.empty()) message += ". Its last answer: " + end.answer;
  message += "\n" + closing_line(agent_id);
  return failed({.type = ToolErrorType::ExecutionError,
                 .code = "SUB_AGENT_" + upper(to_string(end.outcome)),
                 .message = std::move(message)});
}

RawToolResult result_of(const SubAgentAnswer& answer) {
  if (const auto* error = std::get_if<ToolError>(&answer.how)) return failed(*error);
  const auto& end = std::get<SubAgentEnd>(answer.how);
  if (end.outcome != Outcome::Completed) return ended_early(end, answer.agent_id);
  RawToolResult raw;
  append_json_string(raw.data, end.answer);
  raw.closing_line = closing_line(answer.agent_id);
  return raw;
}

ToolError no_host() {
  return {.type = ToolErrorType::DependencyError,
          .code = "NO_WORKER",
          .message = "Sub-agents run in the jobs of a worker only"};
}

ToolError unreadable(const std::string& id) {
  return {.type = ToolErrorType::DependencyError,
          .code = "ARTIFACT_DAMAGED",
          .message = "The artifact '" + id +
                     "' was damaged where it is kept: run the call that made it once more, or go "
                     "on without it"};
}

/// Answers from outside the call.
struct Refusal final : ToolRun {
  std::unique_ptr<Timer> timer;
};

}  // namespace

ToolDescriptor TaskTool::description() {
  ToolDescriptor tool;
  tool.name = kTaskTool;
  tool.description = kDescription;
  tool.parameters_schema = schema_with("", false);
  tool.effect = EffectClass::Keyed;
  tool.permission = PermissionLevel::Restricted;
  tool.reader = true;
  tool.whole_text = true;
  tool.retry_on_timeout = false;
  return tool;
}

TaskTool::TaskTool(SubAgentTypes types, Milliseconds timeout, const SubAgentDesk& desk,
                   Executor& executor, std::optional<HandOverLimits> artifacts)
    : types_(std::move(types)), desk_(desk), executor_(executor), artifacts_(artifacts) {
  descriptor_.timeout = timeout;
  if (artifacts_) descriptor_.parameters_schema = schema_with("", true);
}

std::optional<ToolError> sub_agent_refused(const SubAgentTypes& types, const std::string& caller,
                                           const std::string& type) {
  const auto own = types.find(caller);
  if (own != types.end() && own->second.contains(type)) return std::nullopt;
  std::vector<std::string> names;
  if (own != types.end()) names.assign(own->second.begin(), own->second.end());
  return ToolError{.type = ToolErrorType::PermissionDenied,
                   .code = "SUB_AGENT_NOT_ALLOWED",
                   .message = "subagent_type '" + type +
                              "' may not be asked; there are: " + joined_or_none(names)};
}

/// Puts the artifact that the call names into the request.
std::optional<ToolError> TaskTool::refusal_of(const ToolInvocation& invocation,
                                              SubAgentRequest& request) const {
  if (auto error = sub_agent_refused(types_, invocation.caller_id, request.type)) return error;
  if (desk_.host == nullptr) return no_host();
  const auto given = invocation.artifacts.find(kArtifactParameter);
  if (!artifacts_ || given == invocation.artifacts.end()) return std::nullopt;
  const std::string id = text_argument(invocation.parameters, kArtifactParameter);
  const auto part = invocation.artifact_parts.find(kArtifactParameter);
  auto artifact = hand_over(
      id, given->second.text(),
      part == invocation.artifact_parts.end() ? std::nullopt : std::optional(part->second),
      *artifacts_);
  if (!artifact) return unreadable(id);
  request.artifact = std::move(*artifact);
  return std::nullopt;
}

/// The sub-agent reads the rest itself.
std::optional<ItemRange> TaskTool::artifact_range(const std::string& /*parameters*/) const {
  return kHandedItems;
}

std::unique_ptr<ToolRun> TaskTool::run(ToolInvocation invocation,
                                       std::function<void(RawToolResult)> done) {
  const std::string& parameters = invocation.parameters;
  SubAgentRequest request;
  request.type = text_argument(parameters, "subagent_type");
  if (auto error = refusal_of(invocation, request)) {
    auto refusal = std::make_unique<Refusal>();
    refusal->timer = executor_.after(
        Milliseconds(0), [done = std::move(done), raw = failed(std::move(*error))] { done(raw); });
    return refusal;
  }
  request.asked_by = {invocation.job, invocation.position};
  request.key = invocation.idempotency_key;
  request.description = text_argument(parameters, "description");
  request.prompt = text_argument(parameters, "prompt");
  request.agent_id = text_argument(parameters, "agent_id");
  request.permission_max = invocation.permission_level;
  return desk_.host->start(
      std::move(request),
      [done = std::move(done)](const SubAgentAnswer& answer) { done(result_of(answer)); });
}

std::string schema_for_types(const std::map<std::string, std::string>& types, bool artifacts) {
  std::string names;
  std::string text = "one of";
  for (const auto& [name, what] : types) {
    names += names.empty() ? "" : ",";
    append_json_string(names, name);
    text += "\n- " + name + (what.empty() ? "" : ": " + what);
  }
  std::string described = ",\"enum\":[" + names + "],\"description\":";
  append_json_string(described, text);
  return schema_with(described, artifacts);
}

}  // namespace ba
