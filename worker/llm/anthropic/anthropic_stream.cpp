// SPDX-License-Identifier: Apache-2.0
#include "worker/llm/anthropic/anthropic_wire.hpp"
#include "worker/llm/failure_body.hpp"
#include "worker/llm/stop_words.hpp"

namespace ba::llm {
namespace {

class AnthropicStream final : public StreamReader {
 public:
  explicit AnthropicStream(const ProtocolContext& context) : context_(context) {}

  Result<bool> take(const http::SseEvent& event) override {
    if (says_nothing(event)) return false;
    if (says_done(event)) return true;
    const auto json = JsonView::parse(event.data);
    if (!json) return malformed_reply("a streamed event is not JSON: " + json.error().message);
    Event fields;
    fields.type = event.name;
    fields.whole = *json;
    json->for_each_member([&](std::string_view key, JsonView value) {
      if (key == "type" && value.is(JsonKind::String))
        fields.type = value.raw().substr(1, value.raw().size() - 2);
      if (key == "index") fields.index = value.integer().value_or(-1);
      if (key == "message") fields.message = value;
      if (key == "content_block") fields.block = value;
      if (key == "delta") fields.delta = value;
      if (key == "usage") fields.usage = value;
      if (key == "error") fields.error = value;
    });
    return take(fields);
  }

  Result<ProtocolReply> finish() override {
    const bool ended = !draft_.stop_reason.empty() || (stopped_ && !draft_.blocks.empty());
    if (!draft_.failure && !ended)
      return malformed_reply("the stream ended before the reply was complete");
    return finish_anthropic_reply(std::move(draft_), context_);
  }

 private:
  struct Event {
    std::string_view type;
    std::int64_t index = -1;
    JsonView message;
    JsonView block;
    JsonView delta;
    JsonView usage;
    JsonView error;
    JsonView whole;
  };

  Result<bool> take(const Event& event) {
    if (event.type == "content_block_delta") return extend_block(event);
    if (event.type == "content_block_start") return start_block(event);
    if (event.type == "message_start") {
      draft_.read_message(event.message);
    } else if (event.type == "message_delta") {
      const JsonView reason = event.delta["stop_reason"];
      if (!reason.text().empty()) draft_.stop_reason = reason.text();
      draft_.read_usage(event.usage);
    } else if (event.type == "message_stop") {
      stopped_ = true;
      return true;
    } else if (event.type == "error" || says_error(event.error)) {
      draft_.failure = read_reported_error(says_error(event.error) ? event.error : event.whole);
      return true;
    } else if (event.type.empty() && draft_.id.empty()) {
      draft_.failure = read_error_instead_of_reply(event.whole);
      return draft_.failure.has_value();
    }
    return false;  // also for ping, content_block_stop and events that are newer than this reader
  }

  Result<bool> start_block(const Event& event) {
    if (event.index != static_cast<std::int64_t>(draft_.blocks.size()))
      return malformed_reply("content_block_start has index " + std::to_string(event.index) +
                             ", next is " + std::to_string(draft_.blocks.size()));
    if (!event.block.is(JsonKind::Object)) return malformed_reply("a block is not an object");
    draft_.blocks.push_back(read_anthropic_block(event.block));
    return false;
  }

  Result<bool> extend_block(const Event& event) {
    if (event.index < 0 || event.index >= static_cast<std::int64_t>(draft_.blocks.size()))
      return malformed_reply("content_block_delta for a block that was not started");
    AnthropicBlock& block = draft_.blocks[static_cast<std::size_t>(event.index)];
    block.streamed = true;
    event.delta.for_each_member([&](std::string_view key, JsonView value) {
      if (key == "text" || key == "thinking") value.append_text(block.text);
      if (key == "partial_json") {
        if (block.pieces == "{}" && value.raw() != R"("")") block.pieces.clear();  // a placeholder
        value.append_text(block.pieces);
      }
      if (key == "signature") value.append_text(block.signature);
      if (key != "citation") return;
      block.citations.emplace_back(value.raw());
      block.plain = false;
    });
    return false;
  }

  ProtocolContext context_;
  AnthropicDraft draft_;
  bool stopped_ = false;  ///< by message_stop
};

}  // namespace

std::unique_ptr<StreamReader> anthropic_stream(const ProtocolContext& context) {
  return std::make_unique<AnthropicStream>(context);
}

}  // namespace ba::llm
