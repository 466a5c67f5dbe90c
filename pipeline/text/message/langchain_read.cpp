// SPDX-License-Identifier: Apache-2.0
#include "pipeline/text/message/json_text.hpp"
#include "pipeline/text/message/json_view.hpp"
#include "pipeline/text/message/langchain_json.hpp"
#include "pipeline/text/message/migration.hpp"

namespace ba {
namespace {

/// Reads fields of one JSON value; the first thing that is wrong is kept, and what is read after
/// it doesn't matter.
class Reader {
 public:
  std::string text(JsonView object, const char* name, const std::string& path) {
    const JsonView value = object[name];
    if (value.absent()) return "";
    std::string text = value.text();
    if (!value.is(JsonKind::String) || text.find('\0') != std::string::npos)
      fail(path, "must be a string without NUL characters");
    return text;
  }

  std::string required(JsonView object, const char* name, const std::string& path) {
    std::string value = text(object, name, path);
    if (value.empty()) fail(path, "must not be missing or empty");
    return value;
  }

  std::int64_t count(JsonView object, const char* name, const std::string& path) {
    const JsonView value = object[name];
    if (value.absent()) return 0;
    const auto number = value.integer();
    if (!number || *number < 0) fail(path, "must be a whole number, 0 or more");
    return number.value_or(0);
  }

  JsonView object(JsonView parent, const char* name, const std::string& path) {
    const JsonView value = parent[name];
    if (!value.absent() && !value.is(JsonKind::Object)) fail(path, "must be an object");
    return value;
  }

  std::vector<JsonView> list(JsonView object, const char* name, const std::string& path) {
    const JsonView value = object[name];
    if (!value.absent() && !value.is(JsonKind::Array)) fail(path, "must be an array");
    std::vector<JsonView> elements;
    value.for_each_element([&](JsonView element) { elements.push_back(element); });
    return elements;
  }

  void fail(const std::string& path, const std::string& message) {
    if (error_.empty()) error_ = path + " " + message;
  }
  const std::string& error() const { return error_; }

 private:
  std::string error_;
};

std::string at(const char* list, std::size_t index, const char* member) {
  return std::string("data.") + list + "[" + std::to_string(index) + "]." + member;
}

/// The content of a message: a text, or blocks of text and thinking.
struct Content {
  std::string text;
  std::string thinking;
};

Content read_content(Reader& reader, JsonView data) {
  Content content;
  if (!data["content"].is(JsonKind::Array)) {
    content.text = reader.text(data, "content", "data.content");
    return content;
  }
  const auto blocks = reader.list(data, "content", "data.content");
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    const JsonView block = blocks[i];
    const std::string path = at("content", i, "type");
    if (block.is(JsonKind::String)) {
      block.append_text(content.text);
      continue;
    }
    const std::string type = reader.text(block, "type", path);
    if (type == "text")
      content.text += reader.text(block, "text", at("content", i, "text"));
    else if (type == "thinking")
      content.thinking += reader.text(block, "thinking", at("content", i, "thinking"));
    else if (type != "tool_use")  // also stands in tool_calls
      reader.fail(path, "must be text, thinking or tool_use, not \"" + type + "\"");
  }
  return content;
}

void read_ba(Reader& reader, JsonView ba, MessageMeta& meta) {
  const std::string path = "data.additional_kwargs.ba.";
  meta.conversation_id =
      ConversationId(reader.text(ba, "conversation_id", path + "conversation_id"));
  meta.round_id = reader.text(ba, "round_id", path + "round_id");
  meta.user_id = reader.text(ba, "user_id", path + "user_id");
  const std::string time = reader.text(ba, "timestamp", path + "timestamp");
  const auto parsed = parse_rfc3339(time);
  if (!time.empty() && !parsed) reader.fail(path + "timestamp", "must be an RFC 3339 time");
  meta.timestamp = parsed.value_or(WallTime{});
  const std::string version = reader.text(ba, "schema_version", path + "schema_version");
  if (version.empty()) return;
  if (const auto readable = check_message_version(version); !readable)
    reader.fail("data.additional_kwargs.ba:", readable.error().message);
  meta.schema_version = version;
}

MessageMeta read_meta(Reader& reader, JsonView data, JsonView kwargs) {
  MessageMeta meta;
  meta.message_id = MessageId(reader.text(data, "id", "data.id"));
  kwargs.for_each_member([&](std::string_view raw_name, JsonView value) {
    if (raw_name == "ba" || raw_name == "reasoning_content") return;
    std::string name = JsonView::of_proven("\"" + std::string(raw_name) + "\"").text();
    if (name.find('\0') != std::string::npos)
      reader.fail("data.additional_kwargs", "has a name with a NUL character");
    meta.additional_kwargs[std::move(name)] = std::string(value.raw());
  });
  read_ba(reader, reader.object(kwargs, "ba", "data.additional_kwargs.ba"), meta);
  return meta;
}

std::vector<ToolCall> read_calls(Reader& reader, JsonView data, const char* list) {
  std::vector<ToolCall> calls;
  const bool valid = list == std::string_view("tool_calls");
  const auto elements = reader.list(data, list, std::string("data.") + list);
  for (std::size_t i = 0; i < elements.size(); ++i) {
    const JsonView members = elements[i];
    ToolCall call;
    call.id = ToolCallId(reader.required(members, "id", at(list, i, "id")));
    call.name = reader.text(members, "name", at(list, i, "name"));
    if (valid) {
      call.args_json = std::string(members["args"].raw());
      if (!members["args"].is(JsonKind::Object))
        reader.fail(at(list, i, "args"), "must be an object");
    } else {
      call.invalid_args = reader.text(members, "args", at(list, i, "args"));
      call.args_error = reader.text(members, "error", at(list, i, "error"));
      if (call.args_error.empty()) call.args_error = "the arguments are invalid";
    }
    calls.push_back(std::move(call));
  }
  return calls;
}

/// Valid and invalid calls in the model's order; `positions` says where the invalid ones stood.
/// Without `positions`, as another writer leaves them, they come last.
std::vector<ToolCall> merged(Reader& reader, std::vector<ToolCall> valid,
                             std::vector<ToolCall> invalid,
                             const std::vector<JsonView>& positions) {
  for (std::size_t i = 0; i < invalid.size(); ++i) {
    const auto end = static_cast<std::int64_t>(valid.size());
    std::int64_t where = end;
    if (i < positions.size()) {
      const auto position = positions[i].integer();
      if (!position || *position < 0 || *position > end)
        reader.fail("data.additional_kwargs.ba.invalid_positions[" + std::to_string(i) + "]",
                    "must be a place from 0 to " + std::to_string(end));
      else
        where = *position;
    }
    valid.insert(valid.begin() + where, std::move(invalid[i]));
  }
  return valid;
}

Usage read_usage(Reader& reader, JsonView data) {
  const std::string path = "data.usage_metadata";
  const JsonView members = reader.object(data, "usage_metadata", path);
  const JsonView input = reader.object(members, "input_token_details", path);
  const JsonView output = reader.object(members, "output_token_details", path);
  Usage usage;
  usage.cache_read_tokens = reader.count(input, "cache_read", path + ".cache_read");
  usage.cache_write_tokens = reader.count(input, "cache_creation", path + ".cache_creation");
  usage.input_tokens = reader.count(members, "input_tokens", path + ".input_tokens") -
                       usage.cache_read_tokens - usage.cache_write_tokens;
  usage.output_tokens = reader.count(members, "output_tokens", path + ".output_tokens");
  usage.thinking_tokens = reader.count(output, "reasoning", path + ".reasoning");
  if (usage.input_tokens < 0) reader.fail(path, "has more cached than input tokens");
  return usage;
}

AiMessage read_ai(Reader& reader, JsonView data, JsonView kwargs) {
  AiMessage message;
  Content content = read_content(reader, data);
  message.text = std::move(content.text);
  message.thinking = content.thinking + reader.text(kwargs, "reasoning_content",
                                                    "data.additional_kwargs.reasoning_content");
  const JsonView ba = reader.object(kwargs, "ba", "data.additional_kwargs.ba");
  message.tool_calls =
      merged(reader, read_calls(reader, data, "tool_calls"),
             read_calls(reader, data, "invalid_tool_calls"),
             reader.list(ba, "invalid_positions", "data.additional_kwargs.ba.invalid_positions"));
  message.usage = read_usage(reader, data);
  if (!ba["provider_json"].absent())
    message.extra =
        ProviderExtra{reader.text(ba, "provider", "data.additional_kwargs.ba.provider"),
                      reader.text(ba, "provider_json", "data.additional_kwargs.ba.provider_json")};
  return message;
}

ToolMessage read_tool(Reader& reader, JsonView data) {
  ToolMessage message;
  message.tool_call_id = ToolCallId(reader.required(data, "tool_call_id", "data.tool_call_id"));
  message.tool_name = reader.text(data, "name", "data.name");
  message.content = read_content(reader, data).text;
  const std::string status = reader.text(data, "status", "data.status");
  message.status = status == "error" ? ToolStatus::Error : ToolStatus::Success;
  if (!status.empty() && status != "error" && status != "success")
    reader.fail("data.status", "must be success or error, not \"" + status + "\"");
  return message;
}

Message read_message(Reader& reader, JsonView root) {
  const std::string type = reader.text(root, "type", "type");
  if (root["data"].absent()) reader.fail("data", "must not be missing");
  const JsonView data = reader.object(root, "data", "data");
  const JsonView kwargs = reader.object(data, "additional_kwargs", "data.additional_kwargs");
  Message message;
  if (type == "ai")
    message = read_ai(reader, data, kwargs);
  else if (type == "tool")
    message = read_tool(reader, data);
  else if (type == "human")
    message = HumanMessage{{}, read_content(reader, data).text};
  else if (type == "system")
    message = SystemMessage{{}, read_content(reader, data).text};
  else
    reader.fail("type", "must be system, human, ai or tool, not \"" + type + "\"");
  meta_of(message) = read_meta(reader, data, kwargs);
  return message;
}

/// The version, where it is one that must be migrated; seldom is there another than the present.
bool may_be_older(JsonView root) {
  const JsonView version = root["data"]["additional_kwargs"]["ba"]["schema_version"];
  return !version.absent() && !version.equals(kMessageSchemaVersion);
}

/// The message as it stands, or as it is today.
Message read_any_version(Reader& reader, JsonView root) {
  if (!may_be_older(root)) return read_message(reader, root);
  RawObject migrated(root);
  const auto changed = migrate_message(migrated);
  if (!changed) {
    reader.fail("data.additional_kwargs.ba:", changed.error().message);
    return {};
  }
  if (!*changed) return read_message(reader, root);
  const std::string json = migrated.json();
  return read_message(reader, JsonView::of_proven(json));
}

Error corrupt(std::string message) {
  return make_error(ErrorCode::Corrupt, "message: " + std::move(message));
}

}  // namespace

Result<Message> message_from_json(std::string_view json) {
  if (!is_json_object(json)) return corrupt("not a JSON object in UTF-8");
  Reader reader;
  Message message = read_any_version(reader, JsonView::of_proven(json));
  if (!reader.error().empty()) return corrupt(reader.error());
  return message;
}

Result<std::vector<Message>> messages_from_json(std::string_view json) {
  const JsonView list = is_json(json) ? JsonView::of_proven(json) : JsonView();
  if (!list.is(JsonKind::Array)) return corrupt("not a JSON array in UTF-8");
  std::vector<Message> messages;
  std::string problem;
  list.for_each_element([&](JsonView element) {
    if (!problem.empty()) return;
    Reader reader;
    messages.push_back(read_any_version(reader, element));
    if (!reader.error().empty())
      problem = "messages[" + std::to_string(messages.size() - 1) + "]: " + reader.error();
  });
  if (!problem.empty()) return corrupt(std::move(problem));
  return messages;
}

}  // namespace ba
