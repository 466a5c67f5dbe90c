// SPDX-License-Identifier: Apache-2.0
// OpenAI Responses: a list of items. Items know no borders between replies: what a model sent in a
// row is one reply, until a second text after which it asked for nothing.
#include <algorithm>
#include <array>

#include "pipeline/text/carrier/formats.hpp"
#include "pipeline/text/carrier/kept_form.hpp"

namespace ba {
namespace {

constexpr CarrierFormat kOwn = CarrierFormat::Responses;

/// What a model sends, needs no answer, and can be handed back as it is.
constexpr std::array<std::string_view, 8> kHandedBack{"reasoning",
                                                      "web_search_call",
                                                      "file_search_call",
                                                      "code_interpreter_call",
                                                      "image_generation_call",
                                                      "mcp_call",
                                                      "mcp_list_tools",
                                                      "compaction"};

bool handed_back(std::string_view type) {
  return std::find(kHandedBack.begin(), kHandedBack.end(), type) != kHandedBack.end();
}

/// An item without type is a message.
std::string type_of(JsonView item) {
  return item["type"].absent() && !item["role"].absent() ? "message" : item["type"].text();
}

bool is_reply_text(JsonView item) {
  return type_of(item) == "message" && item["role"].equals("assistant");
}

class ItemsReader {
 public:
  ItemsReader(const CarrierInput& in, const std::vector<JsonView>& items)
      : in_(in), items_(items) {}

  void read() {
    for (std::size_t i = 0; i < items_.size() && in_.reader.good(); ++i) take(i);
    end_reply();
  }

 private:
  void take(std::size_t index) {
    const JsonView item = items_[index];
    const std::string field = message_field(index);
    in_.reader.check_object(item, field);
    const std::string type = type_of(item);
    if (is_reply_text(item)) return take_reply_text(item, field);
    if (type == "function_call") return take_call(item, field);
    if (handed_back(type)) return take_untouched(item, field, index);
    end_reply();
    if (type == "message")
      take_message(item, field);
    else if (type == "function_call_output")
      take_result(item, field);
    else
      in_.reader.refuse(field + ".type", "\"" + type + "\" has no place in a conversation here");
  }

  void begin_item(JsonView item, const std::string& field) {
    if (raw_.empty()) field_ = field;
    raw_ += (raw_.empty() ? "" : ",") + std::string(item.raw());
  }

  bool answered_in_text() const { return text_seen_ && message_.tool_calls.empty(); }

  void take_reply_text(JsonView item, const std::string& field) {
    if (answered_in_text()) end_reply();
    const TextParts parts =
        read_text_parts(in_.reader, without_refusals(item), field + ".content", {"output_text"});
    plain_ = plain_ && !text_seen_ && message_.tool_calls.empty() && parts.plain &&
             members_but(item, {"type", "role", "content"}).empty();
    begin_item(item, field);
    message_.text += parts.text;
    text_seen_ = true;
  }

  /// A refusal is text that only this protocol tells from others: it stays in the item alone.
  JsonView without_refusals(JsonView item) {
    bool refusal = false;
    item["content"].for_each_element(
        [&](JsonView part) { refusal = refusal || part["type"].equals("refusal"); });
    if (!refusal) return item["content"];
    plain_ = false;
    return JsonView::of_proven("\"\"");
  }

  void take_call(JsonView item, const std::string& field) {
    begin_item(item, field);
    plain_ = plain_ && members_but(item, {"type", "call_id", "name", "arguments"}).empty();
    ToolCall call;
    call.id = ToolCallId(in_.reader.required_text(item["call_id"], field + ".call_id"));
    call.name = in_.reader.required_text(item["name"], field + ".name");
    if (!item["arguments"].is(JsonKind::String))
      in_.reader.refuse(field + ".arguments", "must be a string that holds JSON");
    read_arguments_text(call, item["arguments"].text());
    message_.tool_calls.push_back(std::move(call));
    call_fields_.push_back(field);
  }

  /// Reasoning belongs to the item that follows it.
  void take_untouched(JsonView item, const std::string& field, std::size_t index) {
    std::size_t next = index;
    while (next < items_.size() && handed_back(type_of(items_[next]))) ++next;
    if (answered_in_text() && next < items_.size() && is_reply_text(items_[next])) end_reply();
    begin_item(item, field);
    plain_ = false;
    const std::string summary = summary_of(item);
    if (!message_.thinking.empty() && !summary.empty()) message_.thinking += "\n\n";
    message_.thinking += summary;
  }

  void end_reply() {
    if (raw_.empty()) return;
    if (!plain_)
      message_.extra =
          ProviderExtra{extra_origin_of(kResponsesProtocol, in_.provider), "[" + raw_ + "]"};
    in_.builder.add(std::exchange(message_, {}), field_, std::exchange(call_fields_, {}));
    raw_.clear();
    plain_ = true;
    text_seen_ = false;
  }

  void take_message(JsonView item, const std::string& field) {
    const std::string role = in_.reader.required_text(item["role"], field + ".role");
    if (role == "user")
      take_text<HumanMessage>(item, field);
    else if (role == "system" || role == "developer")
      take_text<SystemMessage>(item, field);
    else
      in_.reader.refuse(field + ".role",
                        "must be system, developer, user or assistant, not \"" + role + "\"");
  }

  template <typename M>
  void take_text(JsonView item, const std::string& field) {
    M message;
    TextParts parts =
        read_text_parts(in_.reader, item["content"], field + ".content", {"input_text"});
    message.text = std::move(parts.text);
    keep_form(message.meta, kOwn, parts.plain ? "" : item["content"].raw(),
              members_but(item, {"type", "role", "content"}));
    if constexpr (std::is_same_v<M, SystemMessage>)
      keep_openai_role(message.meta, item["role"].text());
    in_.builder.add(std::move(message), field);
  }

  void take_result(JsonView item, const std::string& field) {
    ToolMessage message;
    message.tool_call_id =
        ToolCallId(in_.reader.required_text(item["call_id"], field + ".call_id"));
    TextParts parts =
        read_text_parts(in_.reader, item["output"], field + ".output", {"input_text"});
    message.content = std::move(parts.text);
    keep_form(message.meta, kOwn, parts.plain ? "" : item["output"].raw(),
              members_but(item, {"type", "call_id", "output"}));
    in_.builder.add(std::move(message), field);
  }

  const CarrierInput& in_;
  const std::vector<JsonView>& items_;
  // The reply that is being put together.
  AiMessage message_;
  std::vector<std::string> call_fields_;
  std::string field_;
  std::string raw_;  // its items; empty: there is none
  bool plain_ = true;
  bool text_seen_ = false;
};

}  // namespace

std::string summary_of(JsonView reasoning) {
  std::string text;
  reasoning["summary"].for_each_element([&](JsonView part) {
    if (!text.empty()) text += "\n\n";
    part["text"].append_text(text);
  });
  return text;
}

void read_responses(const CarrierInput& in, JsonView instructions, JsonView items) {
  const std::string system = in.reader.text(instructions, "instructions");
  if (!system.empty()) in.builder.add(SystemMessage{{}, system}, "instructions");
  const std::vector<JsonView> list = in.reader.elements(items, "messages");
  ItemsReader(in, list).read();
}

}  // namespace ba
