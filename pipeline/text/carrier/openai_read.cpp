// SPDX-License-Identifier: Apache-2.0
// OpenAI chat completions: messages of a role, with `tool_calls` and answers of the role tool.
#include "pipeline/text/carrier/formats.hpp"
#include "pipeline/text/carrier/kept_form.hpp"

namespace ba {
namespace {

constexpr CarrierFormat kOwn = CarrierFormat::Openai;

std::string kind_of(JsonView value) {
  switch (value.kind()) {
    case JsonKind::Array:
      return "an array";
    case JsonKind::String:
      return "a string";
    case JsonKind::Number:
      return "a number";
    case JsonKind::Null:
      return "null";
    default:
      return "a boolean";
  }
}

/// Reads one message.
class MessageReader {
 public:
  MessageReader(const CarrierInput& in, JsonView json, std::string field)
      : in_(in), json_(json), field_(std::move(field)) {}

  void read() {
    in_.reader.check_object(json_, field_);
    const std::string role = in_.reader.required_text(json_["role"], field_ + ".role");
    if (role == "user")
      read_text<HumanMessage>();
    else if (role == "assistant")
      read_assistant();
    else if (role == "tool")
      read_result();
    else if (role == "system" || role == "developer")
      read_text<SystemMessage>();
    else
      in_.reader.refuse(field_ + ".role",
                        "must be system, developer, user, assistant or tool, not \"" + role + "\"");
  }

 private:
  TextParts content() {
    return read_text_parts(in_.reader, json_["content"], field_ + ".content", {"text"});
  }

  std::string_view kept(const TextParts& parts) const {
    return parts.plain ? std::string_view() : json_["content"].raw();
  }

  template <typename M>
  void read_text() {
    M message;
    TextParts parts = content();
    message.text = std::move(parts.text);
    keep_form(message.meta, kOwn, kept(parts), members_but(json_, {"role", "content"}));
    if constexpr (std::is_same_v<M, SystemMessage>)
      keep_openai_role(message.meta, json_["role"].text());
    in_.builder.add(std::move(message), field_);
  }

  void read_result() {
    ToolMessage message;
    message.tool_call_id =
        ToolCallId(in_.reader.required_text(json_["tool_call_id"], field_ + ".tool_call_id"));
    TextParts parts = content();
    message.content = std::move(parts.text);
    message.tool_name = in_.reader.text(json_["name"], field_ + ".name");
    keep_form(message.meta, kOwn, kept(parts),
              members_but(json_, {"role", "content", "tool_call_id", "name"}));
    in_.builder.add(std::move(message), field_);
  }

  void read_assistant() {
    AiMessage message;
    TextParts parts;
    if (!json_["content"].absent()) parts = content();
    message.text = std::move(parts.text);
    keep_form(message.meta, kOwn, kept(parts), "");
    const bool older_name = !json_["reasoning_content"].absent();
    const char* const thoughts = older_name ? "reasoning_content" : "reasoning";
    message.thinking = in_.reader.text(json_[thoughts], field_ + "." + thoughts);
    if (!json_["function_call"].absent())
      in_.reader.refuse(field_ + ".function_call", "has no id to be answered by; use tool_calls");
    std::vector<std::string> call_fields;
    const std::string of_calls = read_calls(message, call_fields);
    keep_extra(message, of_calls);
    in_.builder.add(std::move(message), field_, std::move(call_fields));
  }

  /// Answers with the foreign members of the calls, as an array, or "".
  std::string read_calls(AiMessage& message, std::vector<std::string>& call_fields) {
    if (json_["tool_calls"].absent()) return "";
    std::string foreign;
    bool any = false;
    std::size_t index = 0;
    for (const JsonView json : in_.reader.elements(json_["tool_calls"], field_ + ".tool_calls")) {
      const std::string field = field_ + ".tool_calls[" + std::to_string(index++) + "]";
      message.tool_calls.push_back(read_call(json, field));
      call_fields.push_back(field);
      const std::string members = members_but(json, {"id", "type", "function"});
      any = any || !members.empty();
      foreign += (foreign.empty() ? "{" : ",{") + members + "}";
    }
    return any ? "[" + foreign + "]" : "";
  }

  ToolCall read_call(JsonView json, const std::string& field) {
    in_.reader.check_object(json, field);
    ToolCall call;
    call.id = ToolCallId(in_.reader.required_text(json["id"], field + ".id"));
    const std::string type = in_.reader.text(json["type"], field + ".type");
    if (!type.empty() && type != "function")
      in_.reader.refuse(field + ".type", "must be function, not \"" + type + "\"");
    const JsonView function = json["function"];
    in_.reader.check_object(function, field + ".function");
    call.name = in_.reader.required_text(function["name"], field + ".function.name");
    const JsonView arguments = function["arguments"];
    if (!arguments.is(JsonKind::String))
      in_.reader.refuse(field + ".function.arguments", "must be a string that holds JSON");
    read_arguments_text(call, arguments.text());
    return call;
  }

  /// As the adapter of this protocol keeps it: the foreign members, and those of calls by position.
  void keep_extra(AiMessage& message, const std::string& of_calls) {
    std::string members = members_but(json_, {"role", "content", "tool_calls", "reasoning_content",
                                              "reasoning", "function_call"});
    if (!of_calls.empty()) members += (members.empty() ? "" : ",") + ("\"tool_calls\":" + of_calls);
    if (!members.empty())
      message.extra =
          ProviderExtra{extra_origin_of(kOpenaiChatProtocol, in_.provider), "{" + members + "}"};
  }

  const CarrierInput& in_;
  JsonView json_;
  const std::string field_;
};

}  // namespace

void read_arguments_text(ToolCall& call, std::string text) {
  if (text.find_first_not_of(" \t\r\n") == std::string::npos) return;
  const auto json = JsonView::parse(text);
  if (json && json->is(JsonKind::Object) && !names_nul(text)) {
    call.args_json = std::move(text);
    return;
  }
  if (!json)
    call.args_error = "the arguments are not valid JSON: " + json.error().message;
  else if (!json->is(JsonKind::Object))
    call.args_error = "the arguments must be a JSON object, not " + kind_of(*json);
  else
    call.args_error = "the arguments hold a NUL character (\\u0000)";
  call.invalid_args = std::move(text);
}

std::string arguments_text(Losses& losses, const ToolCall& call, const std::string& field) {
  if (call.valid()) return call.args_json;
  ToolCall read_back;
  read_arguments_text(read_back, call.invalid_args);
  if (read_back.valid()) losses.add("the error of an invalid call", field);
  return call.invalid_args;
}

void read_openai(const CarrierInput& in, JsonView messages) {
  std::size_t index = 0;
  for (const JsonView json : in.reader.elements(messages, "messages")) {
    MessageReader(in, json, message_field(index++)).read();
    if (!in.reader.good()) return;
  }
}

}  // namespace ba
