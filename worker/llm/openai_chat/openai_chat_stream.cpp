// SPDX-License-Identifier: Apache-2.0
#include "worker/llm/openai_chat/openai_chat_stream.hpp"

#include "worker/llm/failure_body.hpp"

namespace ba {

Error openai_reported_error(JsonView error) {
  ProviderFailure failure = read_error_value(500, error);
  const std::int64_t status = error["code"].integer().value_or(0);
  if (status >= 400 && status <= 599)
    failure.status = static_cast<int>(status);
  else
    failure.status = status_of_error_type(failure.type);
  Error known = error_of(failure);
  known.maybe_done = true;  // the model may have begun to answer
  return known;
}

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
    if (key == "error") result = openai_reported_error(value);
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
