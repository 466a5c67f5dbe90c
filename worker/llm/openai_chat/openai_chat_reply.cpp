// SPDX-License-Identifier: Apache-2.0
#include "worker/llm/openai_chat/openai_chat_wire.hpp"

#include <algorithm>

#include "worker/llm/failure_body.hpp"
#include "worker/llm/message_parts.hpp"
#include "worker/llm/openai_chat/model_markup.hpp"
#include "worker/llm/react_text/react_reply.hpp"
#include "worker/llm/reply_checks.hpp"
#include "worker/llm/reply_draft.hpp"
#include "worker/llm/stop_words.hpp"
#include "worker/llm/tool_id.hpp"

namespace ba::llm {
namespace {

bool one_of(std::string_view key, std::initializer_list<std::string_view> keys) {
  return std::find(keys.begin(), keys.end(), key) != keys.end();
}

bool blank_text(JsonView value) {
  return value.is(JsonKind::String) &&
         value.text().find_first_not_of(" \t\r\n") == std::string::npos;
}

/// Moves a leading think block out of the text. A block that the token limit cut is no answer, and
/// neither is one that the model didn't end: only calls can follow that, which the server took out.
Result<void> take_think_block(std::string& text, std::string& reasoning, StopReason stop) {
  const auto block = leading_think_block(text);
  if (!block || (!block->begun && !reasoning.empty())) return {};
  if (!block->closed && (stop == StopReason::EndTurn || stop == StopReason::Other))
    return malformed_reply("the reply ends inside its <think> block");
  add_paragraph(reasoning, block->thinking);
  text = std::string(block->answer);
  return {};
}

/// A model whose calls the server doesn't understand would have its markup published as an answer.
Result<void> check_tool_markup(const ModelReply& reply, const ProtocolContext& context) {
  if (reply.stop != StopReason::EndTurn || !context.place.has_tools || calls_in_text(context))
    return {};
  const auto markup = tool_markup(reply.message.text, context.place.tools);
  if (!markup) return {};
  return malformed_reply("the model wrote a tool call into its text, as '" + std::string(*markup) +
                         "', and the server didn't take it out: start the server with the parser "
                         "for the model's calls, or set tool_calling: text of the model");
}

/// Some servers begin with {} and send the real arguments behind it.
void read_arguments(JsonView arguments, std::string& into) {
  const bool says_something = !arguments.absent() && !blank_text(arguments);
  if (into == "{}" && says_something) into.clear();
  if (arguments.is(JsonKind::String))
    arguments.append_text(into);
  else if (!arguments.absent())
    into += arguments.raw();
}

/// Who wrote an id that others don't take must be known, so that it goes back as it is.
bool all_fit(const std::vector<ToolCall>& calls, const ProviderConfig& provider) {
  return std::ranges::all_of(calls, [&](const ToolCall& call) {
    return fits(call.id.value, chat_id_rule(provider.quirks));
  });
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

void OpenaiChatDraft::read_choice(JsonView choice, bool keep_reasoning) {
  choice.for_each_member([&](std::string_view key, JsonView value) {
    if (value.absent()) return;
    if (key == "message" || key == "delta") read_message(value, keep_reasoning);
    // Some servers say "" with each piece, also after the real one.
    if (key == "finish_reason" && !value.text().empty()) finish_reason = value.text();
    if (key == "usage") read_usage(value);
    if (key == "error") read_error(value);
  });
}

void OpenaiChatDraft::read_error(JsonView error) {
  if (says_error(error)) failure = read_reported_error(error);
}

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
  content.for_each_element([&](JsonView part) {
    part["text"].append_text(text);
    // Mistral's models that reason: {"type":"thinking","thinking":[{"type":"text",…}]}
    part["thinking"].append_text(reasoning);
    part["thinking"].for_each_element(
        [&](JsonView piece) { piece["text"].append_text(reasoning); });
  });
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
        read_arguments(value["arguments"], call.arguments);
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
  if (read_openai_usage(report, usage)) usage_known = true;
}

Result<ProtocolReply> finish_openai_chat_reply(OpenaiChatDraft draft,
                                               const ProtocolContext& context) {
  if (draft.ends_in_full_context(draft.begun())) draft.finish_reason = kContextFullWord;
  if (draft.failure) return failed_reply_of_200(*draft.failure, draft.begun(), context);
  ProtocolReply result;
  ModelReply& reply = result.reply;
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
  const auto stop = stop_of("finish_reason", draft.finish_reason, message);
  if (!stop) return stop.error();
  reply.stop = draft.refusal.empty() ? *stop : StopReason::Refusal;
  if (context.model.strip_think)
    if (auto taken = take_think_block(message.text, draft.reasoning, reply.stop); !taken)
      return taken.error();
  if (message.text.empty()) message.text = std::move(draft.refusal);
  message.thinking = std::move(draft.reasoning);
  if (calls_in_text(context) && message.tool_calls.empty())
    if (auto taken = read_react_reply(reply, context); !taken) return taken.error();
  if (auto checked = check_tool_markup(reply, context); !checked) return checked.error();
  if (auto checked = check_reply(message, context.limits); !checked) return checked.error();
  if (!foreign.empty() || !all_fit(message.tool_calls, context.provider))
    message.extra = ProviderExtra{extra_origin(context.provider), foreign.empty() ? "{}" : foreign};
  draft.move_to(result);
  reply.raw_stop = std::move(draft.finish_reason);
  return result;
}

}  // namespace ba::llm
