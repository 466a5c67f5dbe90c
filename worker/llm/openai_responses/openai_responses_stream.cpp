// SPDX-License-Identifier: Apache-2.0
#include "worker/llm/openai_responses/openai_responses_stream.hpp"

namespace ba {

Result<bool> OpenaiResponsesStream::take(const SseEvent& event) {
  const auto json = JsonView::parse(event.data);
  if (!json) return malformed_reply("a streamed event is not JSON: " + json.error().message);
  const std::string type = (*json)["type"].text();
  if (type == "response.output_item.done")
    return keep_item((*json)["output_index"], (*json)["item"]);
  for (const std::string_view status : {"completed", "incomplete", "failed"}) {
    if (type != "response." + std::string(status)) continue;
    end((*json)["response"], status);
    return true;
  }
  const JsonView error = (*json)["error"];
  if (type != "error" && error.absent()) return false;  // deltas, and events newer than this reader
  draft_.failure = read_response_error(error.absent() ? *json : error);
  ended_ = true;
  return true;
}

Result<bool> OpenaiResponsesStream::keep_item(JsonView index, JsonView item) {
  const std::int64_t place = index.integer().value_or(static_cast<std::int64_t>(done_.size()));
  const bool is_new = done_.try_emplace(place, item.raw()).second;
  if (!is_new) return malformed_reply("two items have the output_index " + std::to_string(place));
  kept_bytes_ += item.raw().size();
  if (kept_bytes_ > static_cast<std::size_t>(context_.limits.reply_bytes_max))
    return malformed_reply("the items are longer than llm.limits.reply_bytes_max, " +
                           std::to_string(context_.limits.reply_bytes_max));
  return false;
}

void OpenaiResponsesStream::end(JsonView response, std::string_view status) {
  draft_.status = status;
  draft_.read_response(response);
  draft_.read_output(response["output"]);
  if (draft_.items.size() <= done_.size()) {
    draft_.items.clear();
    for (auto& [place, item] : done_) draft_.items.push_back(std::move(item));
  }
  ended_ = true;
}

Result<ProtocolReply> OpenaiResponsesStream::finish() {
  if (!ended_) return malformed_reply("the stream ended before the reply was complete");
  return finish_openai_responses_reply(std::move(draft_), context_);
}

}  // namespace ba
