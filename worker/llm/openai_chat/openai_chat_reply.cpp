// SPDX-License-Identifier: Apache-2.0
#include "worker/llm/openai_chat/openai_chat_reply.hpp"

#include <algorithm>
#include <array>

#include "pipeline/message/json_text.hpp"
#include "worker/llm/openai_chat/think_block.hpp"
#include "worker/llm/react_text/react_reply.hpp"
#include "worker/llm/reply_checks.hpp"

namespace ba {
namespace {

bool one_of(std::string_view key, std::initializer_list<std::string_view> keys) {
  return std::find(keys.begin(), keys.end(), key) != keys.end();
}

StopReason stop_of(const OpenaiChatDraft& draft) {
  const std::string_view reason = draft.finish_reason;
  if (!draft.refusal.empty() || reason == "content_filter") return StopReason::Refusal;
  if (reason == "length") return StopReason::MaxTokens;
  if (reason == "tool_calls") return StopReason::ToolUse;
  // Several servers end a message with tool calls by "stop".
  if (reason == "stop") return draft.calls.empty() ? StopReason::EndTurn : StopReason::ToolUse;
  return StopReason::Other;
}

/// vLLM's word for a request that its engine gave up: otherwise such a reply looks whole.
Error aborted_by_server() {
  Error error;
  error.code = ErrorCode::Unavailable;
  error.retry = Retry::Later;
  error.message = "the server gave the request up (finish_reason 'abort')";
  error.detail = "abort";
  error.maybe_done = true;
  return error;
}

Result<void> check_stop(StopReason stop, const OpenaiChatDraft& draft) {
  if (stop == StopReason::ToolUse && draft.calls.empty())
    return malformed_reply("finish_reason is tool_calls, but there is no call");
  if (stop == StopReason::Other && !draft.calls.empty())
    return malformed_reply("tool calls, but finish_reason is '" + draft.finish_reason + "'");
  return {};
}

/// Moves a leading think block out of the text. A block that the token limit cut is no answer, and
/// neither is one that the model didn't end: only calls can follow that, which the server took out.
Result<void> take_think_block(OpenaiChatDraft& draft, StopReason stop) {
  const auto block = leading_think_block(draft.text);
  if (!block) return {};
  if (!block->closed && (stop == StopReason::EndTurn || stop == StopReason::Other))
    return malformed_reply("the reply ends inside its <think> block");
  if (!draft.reasoning.empty() && !block->thinking.empty()) draft.reasoning += "\n\n";
  draft.reasoning += block->thinking;
  draft.text = std::string(block->answer);
  return {};
}

/// What goes back with the message, or "": the foreign members, and those of the calls by position.
std::string foreign_of(const OpenaiChatDraft& draft) {
  const bool in_calls = std::any_of(draft.calls.begin(), draft.calls.end(),
                                    [](const auto& call) { return !call.foreign.empty(); });
  if (!in_calls) return draft.foreign.empty() ? "" : draft.foreign.json();
  std::string calls;
  for (const OpenaiChatCall& call : draft.calls)
    calls += (calls.empty() ? "" : ",") + call.foreign.json();
  const std::string own = draft.foreign.members();
  return "{" + own + (own.empty() ? "" : ",") + "\"tool_calls\":[" + calls + "]}";
}

}  // namespace

void ForeignMembers::add(std::string_view key, JsonView value) {
  const auto [place, is_new] = places_.try_emplace(std::string(key), members_.size());
  if (is_new) members_.push_back({std::string(key), value.is(JsonKind::String), ""});
  Member& member = members_[place->second];
  if (member.is_text && value.is(JsonKind::String)) return value.append_text(member.value);
  member.is_text = false;
  member.value = value.raw();
}

std::string ForeignMembers::members() const {
  std::string out;
  for (const Member& member : members_) {
    if (!out.empty()) out += ',';
    out += '"' + member.key + "\":";
    if (member.is_text)
      append_json_string(out, member.value);
    else
      out += member.value;
  }
  return out;
}

std::string ForeignMembers::json() const { return "{" + members() + "}"; }

void OpenaiChatDraft::read_message(JsonView message, bool keep_reasoning) {
  const bool older_name = !message["reasoning_content"].absent();
  message.for_each_member([&](std::string_view key, JsonView value) {
    if (value.absent()) return;
    if (key == "content") return read_content(value);
    if (key == "tool_calls") return read_calls(value);
    if (key == "refusal") return value.append_text(refusal);
    if (one_of(key, {"reasoning_content", "reasoning"})) {
      if (older_name == (key == "reasoning_content")) value.append_text(reasoning);
      if (keep_reasoning) foreign.add(key, value);
      return;
    }
    if (!one_of(key, {"role", "function_call", "annotations", "audio"})) foreign.add(key, value);
  });
}

/// A text, or at some servers a list of parts.
void OpenaiChatDraft::read_content(JsonView content) {
  content.append_text(text);
  content.for_each_element([&](JsonView part) { part["text"].append_text(text); });
}

void OpenaiChatDraft::read_calls(JsonView list) {
  std::int64_t position = 0;
  list.for_each_element([&](JsonView delta) {
    OpenaiChatCall& call = call_for(delta, position++);
    delta.for_each_member([&](std::string_view key, JsonView value) {
      if (value.absent() || one_of(key, {"index", "type"})) return;
      if (key == "id") {
        if (call.id.empty()) call.id = value.text();
      } else if (key == "function") {
        if (call.name.empty()) call.name = value["name"].text();
        const JsonView arguments = value["arguments"];
        if (arguments.is(JsonKind::String))
          arguments.append_text(call.arguments);
        else if (!arguments.absent())
          call.arguments += arguments.raw();
      } else {
        call.foreign.add(key, value);
      }
    });
  });
}

/// The call that a delta belongs to. Some servers number every call 0 and tell them apart by id.
OpenaiChatCall& OpenaiChatDraft::call_for(JsonView delta, std::int64_t position) {
  const std::int64_t index = delta["index"].integer().value_or(position);
  const auto [place, is_new] = newest_.try_emplace(index, calls.size());
  if (!is_new) {
    const std::string call_id = delta["id"].text();
    OpenaiChatCall& known = calls[place->second];
    if (call_id.empty() || known.id.empty() || known.id == call_id) return known;
    place->second = calls.size();
  }
  return calls.emplace_back();
}

void OpenaiChatDraft::read_usage(JsonView report) {
  const auto prompt = token_count(report["prompt_tokens"]);
  const auto completion = token_count(report["completion_tokens"]);
  if (!prompt || !completion) return;
  const JsonView details = report["prompt_tokens_details"];
  usage.cache_read_tokens = token_count(details["cached_tokens"]).value_or(0);
  usage.cache_write_tokens = token_count(details["cache_write_tokens"]).value_or(0);
  usage.input_tokens =
      std::max<std::int64_t>(0, *prompt - usage.cache_read_tokens - usage.cache_write_tokens);
  usage.output_tokens = *completion;
  usage.thinking_tokens =
      token_count(report["completion_tokens_details"]["reasoning_tokens"]).value_or(0);
  usage_known = true;
}

Result<ProtocolReply> finish_openai_chat_reply(OpenaiChatDraft draft,
                                               const ProtocolContext& context) {
  if (context.provider.quirks == LlmQuirks::Vllm && draft.finish_reason == "abort")
    return aborted_by_server();
  ProtocolReply result;
  ModelReply& reply = result.reply;
  reply.stop = stop_of(draft);
  if (auto checked = check_stop(reply.stop, draft); !checked) return checked.error();
  if (context.model.strip_think)
    if (auto taken = take_think_block(draft, reply.stop); !taken) return taken.error();
  const std::string foreign = foreign_of(draft);
  AiMessage& message = reply.message;
  for (OpenaiChatCall& call : draft.calls) {
    ToolCall& made = message.tool_calls.emplace_back();
    made.id = ToolCallId(std::move(call.id));
    made.name = std::move(call.name);
    set_arguments(made, std::move(call.arguments));
    bound_arguments(made, context.limits);
  }
  message.text = std::move(draft.text);
  if (message.text.empty()) message.text = std::move(draft.refusal);
  message.thinking = std::move(draft.reasoning);
  message.usage = draft.usage;
  if (calls_in_text(context) && message.tool_calls.empty())
    if (auto taken = read_react_reply(reply, context); !taken) return taken.error();
  if (auto checked = check_reply(message, context.limits); !checked) return checked.error();
  if (!foreign.empty()) message.extra = ProviderExtra{extra_origin(context.provider), foreign};
  result.usage_known = draft.usage_known;
  reply.raw_stop = std::move(draft.finish_reason);
  reply.model = std::move(draft.model);
  reply.provider_request_id = std::move(draft.id);
  return result;
}

}  // namespace ba
