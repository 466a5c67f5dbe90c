// SPDX-License-Identifier: Apache-2.0
#include "worker/llm/anthropic/anthropic_wire.hpp"

#include <algorithm>

#include "worker/llm/failure_body.hpp"
#include "worker/llm/message_parts.hpp"
#include "worker/llm/reply_checks.hpp"
#include "worker/llm/reply_draft.hpp"
#include "worker/llm/stop_words.hpp"
#include "worker/llm/tool_id.hpp"

namespace ba::llm {
namespace {

bool plain_key(std::string_view type, std::string_view key) {
  if (key == "type") return true;
  if (type == "text") return key == "text";
  return key == "id" || key == "name" || key == "input";
}

/// Some servers give the whole input at once and pieces with nothing in them.
const std::string& input_of(const AnthropicBlock& block) {
  return is_blank(block.pieces) ? block.input : block.pieces;
}

/// The provider writes text blocks without text beside thinking, and doesn't take them back.
bool refused_on_the_way_back(const AnthropicBlock& block) {
  return block.type == "text" && is_blank(block.text);
}

/// What a streamed block holds now, member by member; JSON.
using Members = std::vector<std::pair<std::string_view, std::string>>;

Members members_of(const AnthropicBlock& block, const ToolCall* call) {
  Members members;
  if (call != nullptr && (block.streamed || !call->valid()))
    members.emplace_back("input", call->args_json);
  if (!block.streamed) return members;
  if (block.type == "text") members.emplace_back("text", json_string(block.text));
  if (block.type == "thinking") {
    members.emplace_back("thinking", json_string(block.text));
    members.emplace_back("signature", json_string(block.signature));
  }
  if (!block.citations.empty()) {
    std::string list;
    for (const std::string& citation : block.citations)
      list += (list.empty() ? "" : ",") + citation;
    members.emplace_back("citations", "[" + list + "]");
  }
  return members;
}

/// The object with some members replaced or added; everything else byte for byte.
std::string with_members(const std::string& object, const Members& members) {
  if (members.empty()) return object;
  std::string out = "{";
  const auto json = JsonView::parse(object);
  if (!json) return object;
  json->for_each_member([&](std::string_view key, JsonView value) {
    const bool replaced = std::any_of(members.begin(), members.end(),
                                      [&](const auto& member) { return member.first == key; });
    if (!replaced) append_member(out, key, value.raw());
  });
  for (const auto& [key, value] : members) append_member(out, key, value);
  return out + "}";
}

class Finish {
 public:
  Finish(AnthropicDraft draft, const ProtocolContext& context)
      : draft_(std::move(draft)), context_(context) {}

  Result<ProtocolReply> run() {
    for (const AnthropicBlock& block : draft_.blocks) take(block);
    ModelReply& reply = result_.reply;
    reply.raw_stop = draft_.stop_reason;
    draft_.move_to(result_);
    if (auto checked = check_reply(reply.message, context_.limits); !checked)
      return checked.error();
    const auto stop = stop_of("stop_reason", draft_.stop_reason, reply.message);
    if (!stop) return stop.error();
    reply.stop = *stop;
    if (!plain_) reply.message.extra = ProviderExtra{extra_origin(context_.provider), untouched()};
    return std::move(result_);
  }

 private:
  void take(const AnthropicBlock& block) {
    AiMessage& message = result_.reply.message;
    if (block.type == "text") {
      plain_ = plain_ && block.plain && message.text.empty() && message.tool_calls.empty();
      message.text += block.text;
    } else if (block.type == "tool_use") {
      plain_ = plain_ && block.plain && fits(block.id, IdRule::Word);
      ToolCall call;
      call.id = ToolCallId(block.id);
      call.name = block.name;
      set_arguments(call, input_of(block));
      bound_arguments(call, context_.limits);
      message.tool_calls.push_back(std::move(call));
    } else {
      plain_ = false;
      if (block.type == "thinking") message.thinking += block.text;
    }
  }

  std::string untouched() const {
    std::string content = "[";
    auto call = result_.reply.message.tool_calls.begin();
    for (const AnthropicBlock& block : draft_.blocks) {
      if (refused_on_the_way_back(block)) continue;
      if (content.size() > 1) content += ',';
      const ToolCall* its_call = block.type == "tool_use" ? &*call++ : nullptr;
      content += with_members(block.start, members_of(block, its_call));
    }
    return content + "]";
  }

  AnthropicDraft draft_;
  const ProtocolContext& context_;
  ProtocolReply result_;
  bool plain_ = true;
};

}  // namespace

void AnthropicDraft::read_message(JsonView message) {
  message.for_each_member([&](std::string_view key, JsonView value) {
    if (key == "id") id = value.text();
    if (key == "model") model = value.text();
    if (key == "stop_reason" && !value.text().empty()) stop_reason = value.text();
    if (key == "usage") read_usage(value);
  });
}

void AnthropicDraft::read_usage(JsonView report) {
  const auto read = [&](std::string_view key, std::int64_t& into) {
    const auto count = token_count(report[key]);
    if (count && *count > 0) into = *count;
    return count;
  };
  const auto input = read("input_tokens", usage.input_tokens);
  const auto cached = read("cache_read_input_tokens", usage.cache_read_tokens);
  const auto written = read("cache_creation_input_tokens", usage.cache_write_tokens);
  // A zero alone says nothing; beside what was cached it says that all of it was.
  if (input == 0 && cached.value_or(0) + written.value_or(0) > 0) usage.input_tokens = 0;
  if (read("output_tokens", usage.output_tokens)) usage_known = true;
  const auto thinking = token_count(report["output_tokens_details"]["thinking_tokens"]);
  if (thinking && *thinking > 0) usage.thinking_tokens = *thinking;
}

AnthropicBlock read_anthropic_block(JsonView json) {
  AnthropicBlock block;
  block.start = json.raw();
  block.type = json["type"].text();
  block.plain = block.type == "text" || block.type == "tool_use";
  json.for_each_member([&](std::string_view key, JsonView value) {
    if (key == "text" || key == "thinking") block.text = value.text();
    if (key == "signature") block.signature = value.text();
    if (key == "id") block.id = value.text();
    if (key == "name") block.name = value.text();
    if (key == "input") block.input = value.raw();
    if (!value.absent() && !plain_key(block.type, key)) block.plain = false;
  });
  return block;
}

Result<ProtocolReply> finish_anthropic_reply(AnthropicDraft draft, const ProtocolContext& context) {
  if (draft.ends_in_full_context(!draft.blocks.empty())) draft.stop_reason = kContextFullWord;
  if (draft.failure) return failed_reply_of_200(*draft.failure, !draft.blocks.empty(), context);
  return Finish(std::move(draft), context).run();
}

}  // namespace ba::llm
