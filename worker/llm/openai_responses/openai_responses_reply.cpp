// SPDX-License-Identifier: Apache-2.0
#include "worker/llm/openai_responses/openai_responses_wire.hpp"

#include <algorithm>
#include <initializer_list>

#include "pipeline/base/lower_case.hpp"
#include "worker/llm/failure_body.hpp"
#include "worker/llm/message_parts.hpp"
#include "worker/llm/reply_checks.hpp"
#include "worker/llm/reply_draft.hpp"
#include "worker/llm/stop_words.hpp"
#include "worker/llm/tool_id.hpp"

namespace ba::llm {
namespace {

bool one_of(std::string_view key, std::initializer_list<std::string_view> keys) {
  return std::find(keys.begin(), keys.end(), key) != keys.end();
}

bool empty(JsonView value) { return value.absent() || value.raw() == "[]"; }

/// Members that say something, other than these.
bool has_others(JsonView object, std::initializer_list<std::string_view> known) {
  bool found = false;
  object.for_each_member([&](std::string_view key, JsonView value) {
    found = found || (!empty(value) && !one_of(key, known));
  });
  return found;
}

class Finish {
 public:
  Finish(OpenaiResponsesDraft draft, const ProtocolContext& context)
      : draft_(std::move(draft)), context_(context) {}

  Result<ProtocolReply> run() {
    for (std::string& item : draft_.items)
      if (auto taken = take(item); !taken) return taken.error();
    ModelReply& reply = result_.reply;
    if (reply.message.text.empty()) reply.message.text = refusal_;
    if (auto checked = check_reply(reply.message, context_.limits); !checked)
      return checked.error();
    if (auto settled = settle_stop(); !settled) return settled.error();
    draft_.move_to(result_);
    if (!plain_) reply.message.extra = ProviderExtra{extra_origin(context_.provider), untouched()};
    return std::move(result_);
  }

 private:
  /// May change the item to what goes back of it.
  Result<void> take(std::string& text) {
    const auto item = JsonView::parse(text);
    if (!item || !item->is(JsonKind::Object)) return malformed_reply("an item is not an object");
    const JsonView type = (*item)["type"];
    if (type.equals("message")) {
      take_message(*item);
    } else if (type.equals("function_call")) {
      take_call(*item, text);
    } else {
      plain_ = false;
      if (type.equals("reasoning")) take_reasoning(*item);
    }
    return {};
  }

  void take_message(JsonView item) {
    AiMessage& message = result_.reply.message;
    plain_ = plain_ && message.text.empty() && message.tool_calls.empty() &&
             !has_others(item, {"type", "id", "role", "status", "content"});
    std::string said;
    item["content"].for_each_element([&](JsonView part) {
      if (part["type"].equals("refusal")) part["refusal"].append_text(refusal_);
      if (part["type"].equals("output_text")) part["text"].append_text(said);
      if (has_others(part, {"type", "text", "refusal"})) plain_ = false;
    });
    add_paragraph(message.text, said);
  }

  void take_call(JsonView item, std::string& text) {
    plain_ = plain_ && fits(item["call_id"].text(), IdRule::Word) &&
             !has_others(item, {"type", "id", "call_id", "status", "name", "arguments"});
    ToolCall& call = result_.reply.message.tool_calls.emplace_back();
    call.id = ToolCallId(item["call_id"].text());
    call.name = item["name"].text();
    const JsonView arguments = item["arguments"];
    const std::string sent = arguments.text();
    set_arguments(call, arguments.is(JsonKind::String) ? sent : std::string(arguments.raw()));
    bound_arguments(call, context_.limits);
    if (sent != call.args_json) text = with_arguments(item, call.args_json);
  }

  /// A summary, or what servers without encryption show of it.
  void take_reasoning(JsonView item) {
    std::string& thinking = result_.reply.message.thinking;
    const auto add = [&](JsonView part) { add_paragraph(thinking, part["text"].text()); };
    item["summary"].for_each_element(add);
    item["content"].for_each_element(add);
  }

  Result<void> settle_stop() {
    ModelReply& reply = result_.reply;
    const bool complete = lower_case(draft_.status) == "completed";
    if (!complete && draft_.status != "incomplete")
      return malformed_reply("the status is '" + draft_.status + "'");
    reply.raw_stop = complete ? draft_.status : draft_.incomplete_reason;
    const auto stop =
        stop_of(complete ? "status" : "incomplete_details.reason", reply.raw_stop, reply.message);
    if (!stop) return stop.error();
    reply.stop = *stop;
    if (complete && !refusal_.empty()) reply.stop = StopReason::Refusal;
    if (complete && refusal_.empty() && cut_in_silence()) reply.stop = StopReason::MaxTokens;
    if (!complete && (*stop == StopReason::EndTurn || *stop == StopReason::ToolUse))
      return malformed_reply("the response is incomplete: '" + draft_.incomplete_reason + "'");
    return {};
  }

  /// llama.cpp says `completed` also of what the limit cut, and such a text looks whole.
  bool cut_in_silence() const {
    return context_.provider.quirks != LlmQuirks::None && context_.output_tokens_max > 0 &&
           draft_.usage_known && draft_.usage.output_tokens >= context_.output_tokens_max;
  }

  std::string untouched() const {
    std::string output = "[";
    for (const std::string& item : draft_.items) output += (output.size() > 1 ? "," : "") + item;
    return output + "]";
  }

  OpenaiResponsesDraft draft_;
  const ProtocolContext& context_;
  ProtocolReply result_;
  std::string refusal_;
  bool plain_ = true;  ///< the neutral message says all that matters
};

}  // namespace

std::string with_arguments(JsonView item, std::string_view arguments) {
  std::string out = R"({"arguments":)" + json_string(arguments);
  item.for_each_member([&](std::string_view key, JsonView value) {
    if (key != "arguments") append_member(out, key, value.raw());
  });
  return out + "}";
}

void OpenaiResponsesDraft::read_response(JsonView response) {
  response.for_each_member([&](std::string_view key, JsonView value) {
    if (value.absent()) return;
    if (key == "id") id = value.text();
    if (key == "model") model = value.text();
    if (key == "status") status = value.text();
    if (key == "incomplete_details") incomplete_reason = value["reason"].text();
    if (key == "usage") read_usage(value);
    if (key == "error" && says_error(value)) failure = read_reported_error(value);
  });
  if (status != "failed" || failure) return;
  failure = ProviderFailure{500, "", "", "the response failed, and doesn't say why"};
}

void OpenaiResponsesDraft::read_output(JsonView output) {
  items.clear();
  output.for_each_element([&](JsonView item) { items.emplace_back(item.raw()); });
}

void OpenaiResponsesDraft::read_usage(JsonView report) {
  if (read_openai_usage(report, usage)) usage_known = true;
}

Result<ProtocolReply> finish_openai_responses_reply(OpenaiResponsesDraft draft,
                                                    const ProtocolContext& context) {
  if (draft.ends_in_full_context(!draft.items.empty())) {
    draft.status = "incomplete";
    draft.incomplete_reason = kContextFullWord;
  }
  // A response that has an id was begun, whatever became of it.
  if (draft.failure) return failed_reply_of_200(*draft.failure, !draft.id.empty(), context);
  return Finish(std::move(draft), context).run();
}

}  // namespace ba::llm
