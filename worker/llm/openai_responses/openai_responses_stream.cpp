// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <map>
#include <optional>

#include "worker/llm/failure_body.hpp"
#include "worker/llm/message_parts.hpp"
#include "worker/llm/openai_responses/openai_responses_wire.hpp"
#include "worker/llm/stop_words.hpp"

namespace ba::llm {
namespace {

bool same_item(JsonView one, JsonView other) {
  for (const std::string_view key : {"call_id", "id"})
    if (const std::string id = one[key].text(); !id.empty() && id == other[key].text()) return true;
  return false;
}

/// How much a reader has of these items: calls first, then text.
std::pair<std::size_t, std::size_t> said_by(const std::vector<std::string>& items) {
  std::pair<std::size_t, std::size_t> said;
  for (const std::string& text : items) {
    const JsonView item = JsonView::of_proven(text);
    if (item["type"].equals("function_call")) ++said.first;
    item["content"].for_each_element(
        [&](JsonView part) { said.second += part["text"].text().size(); });
  }
  return said;
}

class OpenaiResponsesStream final : public StreamReader {
 public:
  explicit OpenaiResponsesStream(const ProtocolContext& context) : context_(context) {}

  Result<bool> take(const http::SseEvent& event) override {
    if (says_nothing(event)) return false;
    if (says_done(event)) return true;
    const auto json = JsonView::parse(event.data);
    if (!json) return malformed_reply("a streamed event is not JSON: " + json.error().message);
    std::string type = (*json)["type"].text();
    if (type.empty()) type = event.name;
    if (draft_.id.empty()) draft_.id = (*json)["response"]["id"].text();  // it was begun
    if (type == "response.output_item.done")
      return keep_item((*json)["output_index"], (*json)["item"]);
    for (const std::string_view status : {"completed", "incomplete", "failed"}) {
      if (type != "response." + std::string(status)) continue;
      end((*json)["response"], status);
      return true;
    }
    const JsonView error = (*json)["error"];
    if (type == "error" || says_error(error))
      draft_.failure = read_reported_error(says_error(error) ? error : *json);
    else if (type.empty() && draft_.id.empty())
      draft_.failure = read_error_instead_of_reply(*json);
    else
      keep_piece(type, *json);
    ended_ = draft_.failure.has_value();
    return ended_;
  }

  Result<ProtocolReply> finish() override {
    if (!ended_) return malformed_reply("the stream ended before the reply was complete");
    return finish_openai_responses_reply(std::move(draft_), context_);
  }

 private:
  /// An item that has begun, and what of it came since.
  struct Begun {
    std::string item;
    std::string arguments;
    std::map<std::int64_t, std::string> texts;  ///< by content_index
  };

  Result<bool> keep_item(JsonView index, JsonView item) {
    const std::int64_t place = index.integer().value_or(static_cast<std::int64_t>(done_.size()));
    const bool is_new = done_.try_emplace(place, item.raw()).second;
    if (!is_new) return malformed_reply("two items have the output_index " + std::to_string(place));
    std::erase_if(begun_, [&](const auto& begun) {
      return begun.first == place || same_item(JsonView::of_proven(begun.second.item), item);
    });
    kept_bytes_ += item.raw().size();
    if (kept_bytes_ > static_cast<std::size_t>(context_.limits.reply_bytes_max))
      return too_long_reply("the items are", context_.limits);
    return false;
  }

  /// Bounded by what a stream may hold (llm.limits.stream_bytes_max).
  void keep_piece(std::string_view type, JsonView event) {
    const auto place = event["output_index"].integer();
    if (!place || done_.contains(*place)) return;
    if (type == "response.output_item.added") {
      if (event["item"].is(JsonKind::Object))
        begun_.try_emplace(*place, Begun{std::string(event["item"].raw()), "", {}});
      return;
    }
    const auto found = begun_.find(*place);
    if (found == begun_.end()) return;
    Begun& begun = found->second;
    std::string& text = begun.texts[event["content_index"].integer().value_or(0)];
    if (type == "response.function_call_arguments.delta")
      event["delta"].append_text(begun.arguments);
    if (type == "response.output_text.delta") event["delta"].append_text(text);
    // The whole of what the deltas said.
    if (type == "response.function_call_arguments.done")
      begun.arguments = event["arguments"].text();
    if (type == "response.output_text.done") text = event["text"].text();
  }

  /// As far as it is there; none: nothing came of it but its beginning.
  static std::optional<std::string> item_of(const Begun& begun) {
    const JsonView item = JsonView::of_proven(begun.item);
    if (item["type"].equals("function_call"))
      return begun.arguments.empty() ? begun.item : with_arguments(item, begun.arguments);
    std::string text;
    for (const auto& [part, said] : begun.texts) text += said;
    if (text.empty() || !item["type"].equals("message")) return std::nullopt;
    return R"({"type":"message","role":"assistant","content":[{"type":"output_text","text":)" +
           json_string(text) + "}]}";
  }

  void end(JsonView response, std::string_view status) {
    draft_.status = status;
    draft_.read_response(response);
    draft_.read_output(response["output"]);
    std::vector<std::string> items;
    const bool all_done = begun_.empty() && draft_.items.size() <= done_.size();
    for (const auto& [place, begun] : begun_)
      if (auto item = item_of(begun)) done_.try_emplace(place, std::move(*item));
    for (auto& [place, item] : done_) items.push_back(std::move(item));
    if (all_done || said_by(items) > said_by(draft_.items)) draft_.items = std::move(items);
    ended_ = true;
  }

  ProtocolContext context_;
  OpenaiResponsesDraft draft_;
  std::map<std::int64_t, std::string> done_;  ///< items by output_index
  std::map<std::int64_t, Begun> begun_;       ///< those that are not done
  std::size_t kept_bytes_ = 0;                ///< of done_
  bool ended_ = false;
};

}  // namespace

std::unique_ptr<StreamReader> openai_responses_stream(const ProtocolContext& context) {
  return std::make_unique<OpenaiResponsesStream>(context);
}

}  // namespace ba::llm
