// SPDX-License-Identifier: Apache-2.0
#include "tests/scripted_model/anthropic_writer.hpp"

#include "tests/scripted_model/append_json.hpp"

namespace ba::scripted {

namespace {

std::string stop_reason(const Reply& reply) {
  return reply.stop == "context_exceeded" ? "model_context_window_exceeded" : reply.stop;
}

void append_input_usage(std::string& out, const ReplyUsage& usage) {
  out += R"("input_tokens":)";
  append_json(out, usage.input_tokens);
  out += R"(,"cache_creation_input_tokens":)";
  append_json(out, usage.cache_write_tokens);
  out += R"(,"cache_read_input_tokens":)";
  append_json(out, usage.cache_read_tokens);
}

void append_output_usage(std::string& out, const ReplyUsage& usage) {
  out += R"(,"output_tokens":)";
  append_json(out, usage.output_tokens);
  if (usage.thinking_tokens > 0) {
    out += R"(,"output_tokens_details":{"thinking_tokens":)";
    append_json(out, usage.thinking_tokens);
    out += '}';
  }
}

void append_stop(std::string& out, const Reply& reply) {
  out += R"("stop_reason":)";
  append_json(out, stop_reason(reply));
  out += R"(,"stop_sequence":null)";
  if (reply.stop == "refusal") {
    out += R"(,"stop_details":{"type":"refusal","category":null,"explanation":)";
    append_json(out, reply.text);
    out += '}';
  }
}

void append_call_start(std::string& out, const ReplyCall& call) {
  out += R"({"type":"tool_use","id":)";
  append_json(out, call.id);
  out += R"(,"name":)";
  append_json(out, call.name);
  out += R"(,"input":)";
}

void append_blocks(std::string& out, const Reply& reply) {
  const std::size_t from = out.size();
  const auto separate = [&] {
    if (out.size() > from) out += ',';
  };
  if (!reply.signature.empty()) {
    out += R"({"type":"thinking","thinking":)";
    append_json(out, reply.thinking);
    out += R"(,"signature":)";
    append_json(out, reply.signature);
    out += '}';
  }
  if (!reply.text.empty()) {
    separate();
    out += R"({"type":"text","text":)";
    append_json(out, reply.text);
    out += '}';
  }
  for (const ReplyCall& call : reply.calls) {
    separate();
    append_call_start(out, call);
    if (call.broken) {
      append_json(out, call.arguments);
    } else {
      out += call.arguments;
    }
    out += '}';
  }
}

void append_head(std::string& out, const Reply& reply) {
  out += R"({"id":"msg_)" + reply.id + R"(","type":"message","role":"assistant","model":)";
  append_json(out, reply.model);
  out += R"(,"content":[)";
}

/// Writes the events of a stream.
class EventWriter {
 public:
  template <typename Fill>
  void event(std::string_view type, Fill fill) {
    body_.bytes += "event: ";
    body_.bytes += type;
    body_.bytes += "\ndata: {\"type\":\"";
    body_.bytes += type;
    body_.bytes += '"';
    fill(body_.bytes);
    body_.bytes += "}\n\n";
    body_.event_ends.push_back(body_.bytes.size());
  }

  template <typename Fill>
  void start_block(Fill fill) {
    event("content_block_start", [&](std::string& out) {
      append_index(out);
      out += R"(,"content_block":)";
      fill(out);
    });
  }

  void delta(std::string_view type, std::string_view name, std::string_view text) {
    event("content_block_delta", [&](std::string& out) {
      append_index(out);
      out += R"(,"delta":{"type":")";
      out += type;
      out += R"(",")";
      out += name;
      out += R"(":)";
      append_json(out, text);
      out += '}';
    });
  }

  void deltas(std::string_view type, std::string_view name, std::string_view text) {
    split_pieces(text, [&](std::string_view piece) { delta(type, name, piece); });
  }

  void stop_block() {
    event("content_block_stop", [&](std::string& out) { append_index(out); });
    ++index_;
  }

  ReplyBody take() { return std::move(body_); }

 private:
  void append_index(std::string& out) const {
    out += R"(,"index":)";
    append_json(out, index_);
  }

  ReplyBody body_;
  std::int64_t index_ = 0;
};

void write_blocks(EventWriter& writer, const Reply& reply) {
  if (!reply.signature.empty()) {
    writer.start_block(
        [](std::string& out) { out += R"({"type":"thinking","thinking":"","signature":""})"; });
    writer.deltas("thinking_delta", "thinking", reply.thinking);
    writer.delta("signature_delta", "signature", reply.signature);
    writer.stop_block();
  }
  if (!reply.text.empty()) {
    writer.start_block([](std::string& out) { out += R"({"type":"text","text":""})"; });
    writer.deltas("text_delta", "text", reply.text);
    writer.stop_block();
  }
  for (const ReplyCall& call : reply.calls) {
    writer.start_block([&](std::string& out) {
      append_call_start(out, call);
      out += "{}}";
    });
    writer.delta("input_json_delta", "partial_json", "");
    writer.deltas("input_json_delta", "partial_json", call.arguments);
    writer.stop_block();
  }
}

}  // namespace

ReplyBody anthropic_message(const Reply& reply) {
  ReplyBody body;
  std::string& out = body.bytes;
  append_head(out, reply);
  append_blocks(out, reply);
  out += "],";
  append_stop(out, reply);
  out += R"(,"usage":{)";
  append_input_usage(out, reply.usage);
  append_output_usage(out, reply.usage);
  out += "}}";
  return body;
}

ReplyBody anthropic_stream(const Reply& reply) {
  EventWriter writer;
  writer.event("message_start", [&](std::string& out) {
    out += R"(,"message":)";
    append_head(out, reply);
    out += R"(],"stop_reason":null,"stop_sequence":null,"usage":{)";
    append_input_usage(out, reply.usage);
    out += R"(,"output_tokens":1}})";
  });
  writer.event("ping", [](std::string&) {});
  write_blocks(writer, reply);
  writer.event("message_delta", [&](std::string& out) {
    out += R"(,"delta":{)";
    append_stop(out, reply);
    out += R"(},"usage":{)";
    append_input_usage(out, reply.usage);
    append_output_usage(out, reply.usage);
    out += '}';
  });
  writer.event("message_stop", [](std::string&) {});
  return writer.take();
}

std::string anthropic_error(const Rejection& rejection, const std::string& code) {
  std::string out = R"({"type":"error","error":{"type":)";
  append_json(out, rejection.type);
  out += R"(,"message":)";
  append_json(out, rejection.message);
  if (!code.empty()) {
    out += R"(,"details":{"error_code":)";
    append_json(out, code);
    out += '}';
  }
  out += R"(},"request_id":"req_scripted"})";
  return out;
}

std::string anthropic_error_event(const std::string& type) {
  return "event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"" + type +
         "\",\"message\":\"scripted\"}}\n\n";
}

}  // namespace ba::scripted
