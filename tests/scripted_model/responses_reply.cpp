// SPDX-License-Identifier: Apache-2.0
#include "tests/scripted_model/responses_reply.hpp"

#include <vector>

#include "tests/scripted_model/append_json.hpp"
#include "tests/scripted_model/hash.hpp"
#include "tests/scripted_model/reasoning.hpp"

namespace ba::scripted {

namespace {

bool refused(const Reply& reply) { return reply.stop == "refusal"; }

bool completed(const Reply& reply) {
  return reply.stop == "end_turn" || reply.stop == "tool_use" || reply.stop == "stop_sequence" ||
         refused(reply);
}

std::string incomplete_reason(const Reply& reply) {
  const bool length = reply.stop == "max_tokens" || reply.stop == "context_exceeded";
  return length ? "max_output_tokens" : reply.stop;
}

std::string quoted(std::string_view text) {
  std::string out;
  append_json(out, text);
  return out;
}

/// An item of the output: how it begins, what is streamed of it, and how it is in the end.
struct Item {
  std::string begin;
  std::string end;
  std::string id;
  std::string part;        ///< an empty content part, where it has one
  std::string whole_part;  ///< the same in the end
  std::string delta;       ///< the event that brings its text in pieces
  std::string done;        ///< the event that repeats it
  std::string member;      ///< of `done`
  std::string text;
};

std::string message_part(bool refusal, std::string_view text) {
  if (refusal) return R"({"type":"refusal","refusal":)" + quoted(text) + "}";
  return R"({"type":"output_text","annotations":[],"logprobs":[],"text":)" + quoted(text) + "}";
}

Item reasoning_item(const Reply& reply) {
  Item item;
  item.id = reasoning_id(reply.id);
  const auto with = [&](const std::string& summary, const std::string& sealed) {
    return R"({"id":")" + item.id + R"(","type":"reasoning","summary":[)" + summary +
           R"(],"encrypted_content":)" + quoted(sealed) + "}";
  };
  const bool shown = !reply.thinking.empty();
  item.begin = with("", "enc-not-yet");
  item.end = with(shown ? R"({"type":"summary_text","text":)" + quoted(reply.thinking) + "}" : "",
                  reply.signature);
  return item;
}

Item message_item(const Reply& reply, const std::string& id, const std::string& status) {
  Item item;
  item.id = id;
  item.text = refused(reply) && reply.text.empty() ? "I can't help with that." : reply.text;
  const auto with = [&](const char* state, const std::string& content) {
    return R"({"id":")" + id + R"(","type":"message","status":")" + state +
           R"(","role":"assistant","content":[)" + content + "]}";
  };
  item.part = message_part(refused(reply), "");
  item.whole_part = message_part(refused(reply), item.text);
  item.begin = with("in_progress", "");
  item.end = with(status.c_str(), item.whole_part);
  item.member = refused(reply) ? "refusal" : "text";
  item.delta = refused(reply) ? "response.refusal.delta" : "response.output_text.delta";
  item.done = refused(reply) ? "response.refusal.done" : "response.output_text.done";
  return item;
}

Item call_item(const ReplyCall& call, const std::string& id, const std::string& status) {
  Item item;
  item.id = id;
  item.text = call.arguments;
  const auto with = [&](const char* state, std::string_view arguments) {
    return R"({"id":")" + id + R"(","type":"function_call","status":")" + state +
           R"(","call_id":)" + quoted(call.id) + R"(,"name":)" + quoted(call.name) +
           R"(,"arguments":)" + quoted(arguments) + "}";
  };
  item.begin = with("in_progress", "");
  item.end = with(status.c_str(), call.arguments);
  item.member = "arguments";
  item.delta = "response.function_call_arguments.delta";
  item.done = "response.function_call_arguments.done";
  return item;
}

std::vector<Item> items_of(const Reply& reply) {
  std::vector<Item> items;
  const bool thought = !reply.signature.empty();
  if (thought) items.push_back(reasoning_item(reply));
  const std::string status = completed(reply) ? "completed" : "incomplete";
  const auto id = [&](const char* prefix, const std::string& own) {
    return thought && items.size() == 1 ? led_to_id(prefix, reply.id) : prefix + own;
  };
  const bool speaks = !reply.text.empty() || refused(reply) || reply.calls.empty();
  if (speaks) items.push_back(message_item(reply, id("msg_", reply.id), status));
  for (std::size_t i = 0; i < reply.calls.size(); ++i) {
    const std::string own = Hash().add(reply.id).add(i).hex();
    items.push_back(call_item(reply.calls[i], id("fc_", own), status));
  }
  return items;
}

void append_usage(std::string& out, const ReplyUsage& usage) {
  const std::int64_t input =
      usage.input_tokens + usage.cache_read_tokens + usage.cache_write_tokens;
  out += R"({"input_tokens":)";
  append_json(out, input);
  out += R"(,"input_tokens_details":{"cached_tokens":)";
  append_json(out, usage.cache_read_tokens);
  if (usage.cache_write_tokens > 0) {
    out += R"(,"cache_write_tokens":)";
    append_json(out, usage.cache_write_tokens);
  }
  out += R"(},"output_tokens":)";
  append_json(out, usage.output_tokens);
  out += R"(,"output_tokens_details":{"reasoning_tokens":)";
  append_json(out, usage.thinking_tokens);
  out += R"(},"total_tokens":)";
  append_json(out, input + usage.output_tokens);
  out += '}';
}

/// A response with this status; a reason where it is incomplete.
void append_response(std::string& out, const Reply& reply, const std::string& status,
                     const std::vector<Item>& items) {
  out += R"({"id":"resp_)" + reply.id +
         R"(","object":"response","created_at":1767225600,"status":")" + status +
         R"(","error":null,"incomplete_details":)";
  out += status == "incomplete" ? R"({"reason":)" + quoted(incomplete_reason(reply)) + "}" : "null";
  out += R"(,"model":)" + quoted(reply.model) + R"(,"output":[)";
  for (const Item& item : items) out += (&item == &items.front() ? "" : ",") + item.end;
  out += R"(],"store":false,"usage":)";
  if (status == "in_progress") {
    out += "null";
  } else {
    append_usage(out, reply.usage);
  }
  out += '}';
}

/// Writes the events of a stream.
class EventWriter {
 public:
  void event(const std::string& type, const std::string& members) {
    std::string& out = body_.bytes;
    out += "event: " + type + "\ndata: {\"type\":\"" + type + R"(","sequence_number":)";
    append_json(out, number_++);
    out += members.empty() ? "" : "," + members;
    out += "}\n\n";
    body_.event_ends.push_back(out.size());
  }

  void response(const std::string& type, const Reply& reply, const std::string& status,
                const std::vector<Item>& items) {
    std::string member = R"("response":)";
    append_response(member, reply, status, items);
    event(type, member);
  }

  void item(const Item& item) {
    const std::string index = R"("output_index":)" + std::to_string(index_++);
    const std::string place = R"("item_id":")" + item.id + "\"," + index;
    const std::string part = place + R"(,"content_index":0)";
    event("response.output_item.added", index + R"(,"item":)" + item.begin);
    if (!item.part.empty()) {
      event("response.content_part.added", part + R"(,"part":)" + item.part);
    }
    split_pieces(item.delta.empty() ? "" : item.text, [&](std::string_view piece) {
      event(item.delta, (item.part.empty() ? place : part) + R"(,"delta":)" + quoted(piece));
    });
    if (!item.done.empty()) {
      event(item.done,
            (item.part.empty() ? place : part) + ",\"" + item.member + "\":" + quoted(item.text));
    }
    if (!item.part.empty()) {
      event("response.content_part.done", part + R"(,"part":)" + item.whole_part);
    }
    event("response.output_item.done", index + R"(,"item":)" + item.end);
  }

  ReplyBody take() { return std::move(body_); }

 private:
  ReplyBody body_;
  std::int64_t number_ = 0;
  int index_ = 0;
};

}  // namespace

ReplyBody responses_response(const Reply& reply) {
  ReplyBody body;
  append_response(body.bytes, reply, completed(reply) ? "completed" : "incomplete",
                  items_of(reply));
  return body;
}

ReplyBody responses_stream(const Reply& reply) {
  const std::vector<Item> items = items_of(reply);
  EventWriter writer;
  writer.response("response.created", reply, "in_progress", {});
  writer.response("response.in_progress", reply, "in_progress", {});
  for (const Item& item : items) writer.item(item);
  const std::string status = completed(reply) ? "completed" : "incomplete";
  writer.response("response." + status, reply, status, items);
  return writer.take();
}

std::string responses_error_event(const std::string& type) {
  return "event: error\ndata: {\"type\":\"error\",\"sequence_number\":99,\"code\":\"" + type +
         "\",\"message\":\"scripted\",\"param\":null}\n\n";
}

}  // namespace ba::scripted
