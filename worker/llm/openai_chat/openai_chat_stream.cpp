// SPDX-License-Identifier: Apache-2.0
#include "worker/llm/openai_chat/openai_chat_stream.hpp"

#include "worker/llm/failure_body.hpp"

namespace ba {

Result<bool> OpenaiChatStream::take(const SseEvent& event) {
  if (event.data == "[DONE]") return true;
  const auto json = JsonView::parse(event.data);
  if (!json) return malformed_reply("a streamed event is not JSON: " + json.error().message);
  Result<bool> result = false;
  json->for_each_member([&](std::string_view key, JsonView value) {
    if (value.absent()) return;
    if (key == "choices") value.for_each_element([&](JsonView choice) { take_choice(choice); });
    if (key == "usage") draft_.read_usage(value);
    if (key == "id" && draft_.id.empty()) draft_.id = value.text();
    if (key == "model" && draft_.model.empty()) draft_.model = value.text();
    if (key == "error") result = reported_error(value);
  });
  return result;
}

void OpenaiChatStream::take_choice(JsonView choice) {
  if (choice["index"].integer().value_or(0) != 0) return;
  choice.for_each_member([&](std::string_view key, JsonView value) {
    if (key == "delta") draft_.read_message(value, context_.provider.resend_reasoning);
    if (key == "finish_reason" && value.is(JsonKind::String)) draft_.finish_reason = value.text();
  });
}

Result<ProtocolReply> OpenaiChatStream::finish() {
  if (draft_.finish_reason.empty())
    return malformed_reply("the stream ended before the reply was complete");
  return finish_openai_chat_reply(std::move(draft_), context_);
}

}  // namespace ba
