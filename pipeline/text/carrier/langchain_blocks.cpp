// SPDX-License-Identifier: Apache-2.0
// Blocks in the content of an AIMessage, by LangChain's integrations: Anthropic's are its own;
// OpenAI's are items with their texts unpacked; LangChain's standard ones say the same for all.
#include <algorithm>
#include <array>

#include "pipeline/text/carrier/formats.hpp"
#include "pipeline/text/carrier/kept_form.hpp"
#include "pipeline/text/message/json_text.hpp"

namespace ba {
namespace {

/// Not Anthropic's. A call also stands among the message's tool_calls.
constexpr std::array<std::string_view, 4> kOthers{"reasoning", "function_call", "tool_call",
                                                  "refusal"};

bool is_other(JsonView block) {
  return std::any_of(kOthers.begin(), kOthers.end(),
                     [&](std::string_view type) { return block["type"].equals(type); });
}

/// Whether OpenAI made it: its id or its encrypted content is to go back.
bool is_item(JsonView block) {
  return !block["id"].absent() || !block["encrypted_content"].absent() ||
         !block["call_id"].absent();
}

/// Of a standard block its text, of an item its summary.
std::string thought_of(JsonView block) {
  return block["reasoning"].absent() ? summary_of(block) : block["reasoning"].text();
}

/// The item of a text.
void append_message(std::string& items, JsonView block) {
  ObjectWriter item(items);
  item.text("type", "message");
  item.text("role", "assistant");
  if (!block["id"].absent()) item.raw("id", block["id"].raw());
  std::string& content = item.member("content");
  content += '[';
  {
    ObjectWriter part(content);
    part.text("type", "output_text");
    part.raw("text", block["text"].raw());
    part.raw("annotations", block["annotations"].absent() ? "[]" : block["annotations"].raw());
  }
  content += ']';
}

class OtherBlocks {
 public:
  OtherBlocks(FieldReader& reader, AiMessage& message) : reader_(reader), message_(message) {}

  void take(JsonView block, const std::string& field) {
    reader_.check_object(block, field);
    if (block["type"].equals("text")) return take_text(block, field);
    if (!is_other(block))
      return reader_.refuse(field + ".type", "\"" + block["type"].text() +
                                                 "\" has no place beside blocks of reasoning");
    if (block["type"].equals("reasoning")) message_.thinking += thought_of(block);
    if (is_item(block) && !block["type"].equals("tool_call")) {
      any_item_ = true;
      next_element(items_) += block.raw();
    }
    if (block["type"].equals("function_call"))
      calls_.push_back(reader_.required_text(block["call_id"], field + ".call_id"));
  }

  /// The items in a row, where there are some and they hold each of these calls; else "".
  std::string items(const std::vector<std::string>& calls) {
    if (!any_item_ || calls != calls_) return "";
    items_ += ']';
    return items_;
  }

 private:
  void take_text(JsonView block, const std::string& field) {
    if (!block["text"].is(JsonKind::String)) reader_.refuse(field + ".text", "must be a string");
    block["text"].append_text(message_.text);
    if (reader_.good()) append_message(next_element(items_), block);
  }

  FieldReader& reader_;
  AiMessage& message_;
  std::string items_ = "[";
  std::vector<std::string> calls_;
  bool any_item_ = false;
};

std::vector<std::string> call_ids(JsonView tool_calls) {
  std::vector<std::string> ids;
  tool_calls.for_each_element([&](JsonView call) { ids.push_back(call["id"].text()); });
  return ids;
}

}  // namespace

AiMessage read_langchain_blocks(const CarrierInput& in, JsonView data, const std::string& field) {
  AiMessage message;
  const JsonView content = data["content"];
  bool anthropic = true;
  content.for_each_element([&](JsonView block) { anthropic = anthropic && !is_other(block); });
  if (anthropic) {
    std::vector<std::string> call_fields;
    read_anthropic_blocks(in, content, field, message, call_fields);
    return message;
  }
  OtherBlocks blocks(in.reader, message);
  std::size_t index = 0;
  for (const JsonView block : in.reader.elements(content, field + ".content"))
    blocks.take(block, field + ".content[" + std::to_string(index++) + "]");
  std::string items = blocks.items(call_ids(data["tool_calls"]));
  if (!items.empty())
    message.extra =
        ProviderExtra{extra_origin_of(kResponsesProtocol, in.provider), std::move(items)};
  return message;
}

}  // namespace ba
