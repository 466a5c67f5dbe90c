// SPDX-License-Identifier: Apache-2.0
#include "worker/llm/openai_chat/openai_chat_stream.hpp"

#include "worker/llm/failure_body.hpp"
#include "worker/llm/stream_words.hpp"

namespace ba {

Result<bool> OpenaiChatStream::take(const SseEvent& event) {
  if (says_nothing(event)) return false;
  if (says_done(event)) {
    done_ = true;
    return true;
  }
  const auto json = JsonView::parse(event.data);
  if (!json && !draft_.finish_reason.empty()) return false;  // the reply is whole
  if (!json) return malformed_reply("a streamed event is not JSON: " + json.error().message);
  json->for_each_member([&](std::string_view key, JsonView value) {
    if (value.absent()) return;
    if (key == "choices") value.for_each_element([&](JsonView choice) { take_choice(choice); });
    if (key == "usage") draft_.read_usage(value);
    if (key == "x_groq") draft_.read_usage(value["usage"]);
    if (key == "id" && draft_.id.empty()) draft_.id = value.text();
    if (key == "model" && draft_.model.empty()) draft_.model = value.text();
    if (key == "error") draft_.read_error(value);
  });
  if (!begun_)
    draft_.failure = draft_.failure ? draft_.failure : read_error_instead_of_reply(*json);
  return draft_.failure.has_value();
}

void OpenaiChatStream::take_choice(JsonView choice) {
  begun_ = true;
  if (choice["index"].integer().value_or(0) != 0) return;
  draft_.read_choice(choice, context_.provider.resend_reasoning);
}

Result<ProtocolReply> OpenaiChatStream::finish() {
  const bool ended = draft_.failure || !draft_.finish_reason.empty() || (done_ && draft_.begun());
  if (!ended) return malformed_reply("the stream ended before the reply was complete");
  return finish_openai_chat_reply(std::move(draft_), context_);
}

}  // namespace ba
