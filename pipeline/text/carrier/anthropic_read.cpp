// SPDX-License-Identifier: Apache-2.0
// Anthropic Messages: `system`, and messages of blocks. Results of calls stand in a user's message,
// before its text.
#include "pipeline/text/carrier/formats.hpp"
#include "pipeline/text/carrier/kept_form.hpp"

namespace ba {
namespace {

std::string block_field(const std::string& field, std::size_t index) {
  return field + ".content[" + std::to_string(index) + "]";
}

/// Reads the blocks of one assistant's message.
class AssistantBlocks {
 public:
  AssistantBlocks(FieldReader& reader, AiMessage& message, std::vector<std::string>& call_fields)
      : reader_(reader), message_(message), call_fields_(call_fields) {}

  void take(JsonView block, const std::string& field) {
    reader_.check_object(block, field);
    const std::string type = reader_.required_text(block["type"], field + ".type");
    if (type == "text") return take_text(block, field);
    if (type == "tool_use") return take_call(block, field);
    if (type == "tool_result" || type == "image" || type == "document")
      reader_.refuse(field + ".type", "must not be \"" + type + "\" in an assistant's message");
    if (type == "thinking")
      message_.thinking += reader_.text(block["thinking"], field + ".thinking");
    plain_ = false;
  }

  /// Whether text and calls say everything.
  bool plain() const { return plain_; }

 private:
  void take_text(JsonView block, const std::string& field) {
    plain_ = plain_ && !text_seen_ && message_.tool_calls.empty() &&
             members_but(block, {"type", "text"}).empty();
    text_seen_ = true;
    if (!block["text"].is(JsonKind::String)) reader_.refuse(field + ".text", "must be a string");
    block["text"].append_text(message_.text);
  }

  void take_call(JsonView block, const std::string& field) {
    plain_ = plain_ && members_but(block, {"type", "id", "name", "input"}).empty();
    ToolCall call;
    call.id = ToolCallId(reader_.required_text(block["id"], field + ".id"));
    call.name = reader_.required_text(block["name"], field + ".name");
    call.args_json = reader_.arguments(block["input"], field + ".input");
    message_.tool_calls.push_back(std::move(call));
    call_fields_.push_back(field);
  }

  FieldReader& reader_;
  AiMessage& message_;
  std::vector<std::string>& call_fields_;
  bool plain_ = true;
  bool text_seen_ = false;
};

Usage read_usage(FieldReader& reader, JsonView usage, const std::string& field) {
  Usage counts;
  if (usage.absent()) return counts;
  reader.check_object(usage, field);
  counts.input_tokens = reader.count(usage["input_tokens"], field + ".input_tokens");
  counts.cache_read_tokens =
      reader.count(usage["cache_read_input_tokens"], field + ".cache_read_input_tokens");
  counts.cache_write_tokens =
      reader.count(usage["cache_creation_input_tokens"], field + ".cache_creation_input_tokens");
  counts.output_tokens = reader.count(usage["output_tokens"], field + ".output_tokens");
  counts.thinking_tokens = reader.count(usage["output_tokens_details"]["thinking_tokens"],
                                        field + ".output_tokens_details.thinking_tokens");
  return counts;
}

/// Reads a user's message: results, then texts, which are one HumanMessage.
class UserBlocks {
 public:
  UserBlocks(const CarrierInput& in, std::string field, std::string members)
      : in_(in), field_(std::move(field)), members_(std::move(members)) {}

  void take(JsonView block, std::size_t index) {
    const std::string field = block_field(field_, index);
    in_.reader.check_object(block, field);
    const std::string type = in_.reader.required_text(block["type"], field + ".type");
    if (type == "tool_result") return take_result(block, field);
    if (type != "text")
      return in_.reader.refuse(field + ".type", "must be text or tool_result, not \"" + type +
                                                    "\": a conversation here holds texts only");
    if (!block["text"].is(JsonKind::String)) in_.reader.refuse(field + ".text", "must be a string");
    block["text"].append_text(human_.text);
    if (!texts_.empty() || !members_but(block, {"type", "text"}).empty()) plain_ = false;
    texts_ += (texts_.empty() ? "" : ",") + std::string(block.raw());
  }

  void end() {
    if (texts_.empty() && results_) return drop_members();
    if (texts_.empty()) plain_ = false;  // no block at all
    keep_form(human_.meta, CarrierFormat::Anthropic, plain_ ? "" : "[" + texts_ + "]", members_);
    in_.builder.add(std::move(human_), field_);
  }

 private:
  void take_result(JsonView block, const std::string& field) {
    if (!texts_.empty())
      return in_.reader.refuse(field, "is a tool_result behind a text: results come first");
    results_ = true;
    ToolMessage message;
    message.tool_call_id =
        ToolCallId(in_.reader.required_text(block["tool_use_id"], field + ".tool_use_id"));
    const JsonView error = block["is_error"];
    if (!error.absent() && !error.is(JsonKind::Bool))
      in_.reader.refuse(field + ".is_error", "must be true or false");
    if (error.raw() == "true") message.status = ToolStatus::Error;
    const JsonView content = block["content"];
    TextParts parts;
    if (!content.absent())
      parts = read_text_parts(in_.reader, content, field + ".content", {"text"});
    message.content = std::move(parts.text);
    keep_form(message.meta, CarrierFormat::Anthropic, parts.plain ? "" : content.raw(),
              members_but(block, {"type", "tool_use_id", "content", "is_error"}));
    in_.builder.add(std::move(message), field);
  }

  void drop_members() {
    if (!members_.empty()) in_.losses.add("members of a message that holds results", field_);
  }

  const CarrierInput& in_;
  const std::string field_;
  std::string members_;
  HumanMessage human_;
  std::string texts_;
  bool plain_ = true;
  bool results_ = false;
};

void read_user(const CarrierInput& in, JsonView message, const std::string& field) {
  UserBlocks blocks(in, field, members_but(message, {"role", "content", "type"}));
  const JsonView content = message["content"];
  if (content.is(JsonKind::String)) {
    HumanMessage human;
    human.text = content.text();
    keep_form(human.meta, CarrierFormat::Anthropic, "",
              members_but(message, {"role", "content", "type"}));
    return in.builder.add(std::move(human), field);
  }
  std::size_t index = 0;
  for (const JsonView block : in.reader.elements(content, field + ".content"))
    blocks.take(block, index++);
  blocks.end();
}

void read_assistant(const CarrierInput& in, JsonView json, const std::string& field) {
  AiMessage message;
  std::vector<std::string> call_fields;
  if (json["content"].is(JsonKind::String))
    message.text = json["content"].text();
  else
    read_anthropic_blocks(in, json["content"], field, message, call_fields);
  message.meta.message_id = MessageId(in.reader.text(json["id"], field + ".id"));
  message.usage = read_usage(in.reader, json["usage"], field + ".usage");
  keep_form(message.meta, CarrierFormat::Anthropic, "",
            members_but(json, {"role", "content", "type", "id", "usage"}));
  in.builder.add(std::move(message), field, std::move(call_fields));
}

/// A system message inside the history, which newer models take.
void read_system_message(const CarrierInput& in, JsonView json, const std::string& field) {
  SystemMessage message;
  const JsonView content = json["content"];
  TextParts parts = read_text_parts(in.reader, content, field + ".content", {"text"});
  message.text = std::move(parts.text);
  keep_form(message.meta, CarrierFormat::Anthropic, parts.plain ? "" : content.raw(),
            members_but(json, {"role", "content", "type"}));
  in.builder.add(std::move(message), field);
}

void read_system(const CarrierInput& in, JsonView system) {
  if (system.absent()) return;
  if (system.is(JsonKind::String)) {
    if (!system.text().empty()) in.builder.add(SystemMessage{{}, system.text()}, "system");
    return;
  }
  std::size_t index = 0;
  for (const JsonView block : in.reader.elements(system, "system")) {
    const std::string field = "system[" + std::to_string(index++) + "]";
    in.reader.check_object(block, field);
    if (!block["type"].equals("text")) in.reader.refuse(field + ".type", "must be text");
    SystemMessage message;
    message.text = in.reader.text(block["text"], field + ".text");
    keep_form(message.meta, CarrierFormat::Anthropic, "", members_but(block, {"type", "text"}));
    in.builder.add(std::move(message), field);
  }
}

}  // namespace

void read_anthropic_blocks(const CarrierInput& in, JsonView content, const std::string& field,
                           AiMessage& message, std::vector<std::string>& call_fields) {
  AssistantBlocks blocks(in.reader, message, call_fields);
  std::size_t index = 0;
  for (const JsonView block : in.reader.elements(content, field + ".content"))
    blocks.take(block, block_field(field, index++));
  if (!blocks.plain())
    message.extra =
        ProviderExtra{extra_origin_of(kAnthropicProtocol, in.provider), std::string(content.raw())};
}

void read_anthropic(const CarrierInput& in, JsonView system, JsonView messages) {
  read_system(in, system);
  std::size_t index = 0;
  for (const JsonView message : in.reader.elements(messages, "messages")) {
    const std::string field = message_field(index++);
    in.reader.check_object(message, field);
    const std::string role = in.reader.required_text(message["role"], field + ".role");
    if (role == "user")
      read_user(in, message, field);
    else if (role == "assistant")
      read_assistant(in, message, field);
    else if (role == "system")
      read_system_message(in, message, field);
    else
      in.reader.refuse(field + ".role", "must be user, assistant or system, not \"" + role + "\"");
    if (!in.reader.good()) return;
  }
}

}  // namespace ba
