// SPDX-License-Identifier: Apache-2.0
#include "tests/scripted_model/openai_reply.hpp"

#include <functional>

#include "tests/scripted_model/append_json.hpp"

namespace ba::scripted {

namespace {

std::string finish_reason(const Reply& reply) {
  if (reply.stop == "end_turn" || reply.stop == "refusal") return "stop";
  if (reply.stop == "stop_sequence") return "stop";
  if (reply.stop == "tool_use") return "tool_calls";
  if (reply.stop == "max_tokens" || reply.stop == "context_exceeded") return "length";
  return reply.stop;
}

void append_head(std::string& out, const Reply& reply, std::string_view object) {
  out += R"({"id":"chatcmpl-)" + reply.id + R"(","object":")";
  out += object;
  out += R"(","created":1767225600,"model":)";
  append_json(out, reply.model);
  out += R"(,"choices":[)";
}

void append_usage(std::string& out, const ReplyUsage& usage) {
  const std::int64_t prompt =
      usage.input_tokens + usage.cache_read_tokens + usage.cache_write_tokens;
  out += R"({"prompt_tokens":)";
  append_json(out, prompt);
  out += R"(,"completion_tokens":)";
  append_json(out, usage.output_tokens);
  out += R"(,"total_tokens":)";
  append_json(out, prompt + usage.output_tokens);
  out += R"(,"prompt_tokens_details":{"cached_tokens":)";
  append_json(out, usage.cache_read_tokens);
  if (usage.cache_write_tokens > 0) {
    out += R"(,"cache_write_tokens":)";
    append_json(out, usage.cache_write_tokens);
  }
  out += R"(},"completion_tokens_details":{"reasoning_tokens":)";
  append_json(out, usage.thinking_tokens);
  out += "}}";
}

void append_call(std::string& out, const ReplyCall& call, std::string_view arguments) {
  out += R"("id":)";
  append_json(out, call.id);
  out += R"(,"type":"function","function":{"name":)";
  append_json(out, call.name);
  out += R"(,"arguments":)";
  append_json(out, arguments);
  out += '}';
}

void append_message(std::string& out, const Reply& reply) {
  const bool refused = reply.stop == "refusal";
  out += R"({"role":"assistant","content":)";
  if (refused || (reply.text.empty() && !reply.calls.empty())) {
    out += "null";
  } else {
    append_json(out, reply.text);
  }
  out += R"(,"refusal":)";
  if (refused) {
    append_json(out, reply.text.empty() ? "I can't help with that." : reply.text);
  } else {
    out += "null";
  }
  if (!reply.thinking.empty()) {
    out += R"(,"reasoning_content":)";
    append_json(out, reply.thinking);
  }
  for (std::size_t i = 0; i < reply.calls.size(); ++i) {
    out += i == 0 ? R"(,"tool_calls":[{)" : ",{";
    append_call(out, reply.calls[i], reply.calls[i].arguments);
    out += '}';
  }
  out += reply.calls.empty() ? "}" : "]}";
}

/// Writes the chunks of a stream.
class ChunkWriter {
 public:
  ChunkWriter(const Reply& reply, bool include_usage)
      : reply_(reply), include_usage_(include_usage) {}

  void chunk(const std::function<void(std::string&)>& fill_delta, bool last = false) {
    std::string& out = body_.bytes;
    out += "data: ";
    append_head(out, reply_, "chat.completion.chunk");
    out += R"({"index":0,"delta":{)";
    fill_delta(out);
    out += R"(},"logprobs":null,"finish_reason":)";
    if (last) {
      append_json(out, finish_reason(reply_));
    } else {
      out += "null";
    }
    out += include_usage_ ? R"(}],"usage":null})" : "}]}";
    end_event();
  }

  void deltas(std::string_view name, std::string_view text) {
    split_pieces(text, [&](std::string_view piece) {
      chunk([&](std::string& out) {
        out += '"';
        out += name;
        out += R"(":)";
        append_json(out, piece);
      });
    });
  }

  void call(const ReplyCall& call, std::int64_t index) {
    const auto open = [index](std::string& out) {
      out += R"("tool_calls":[{"index":)";
      append_json(out, index);
      out += ',';
    };
    chunk([&](std::string& out) {
      open(out);
      append_call(out, call, "");
      out += "}]";
    });
    split_pieces(call.arguments, [&](std::string_view piece) {
      chunk([&](std::string& out) {
        open(out);
        out += R"("function":{"arguments":)";
        append_json(out, piece);
        out += "}}]";
      });
    });
  }

  ReplyBody finish() {
    chunk([](std::string&) {}, true);
    if (include_usage_) {
      body_.bytes += "data: ";
      append_head(body_.bytes, reply_, "chat.completion.chunk");
      body_.bytes += R"(],"usage":)";
      append_usage(body_.bytes, reply_.usage);
      body_.bytes += '}';
      end_event();
    }
    body_.bytes += "data: [DONE]";
    end_event();
    return std::move(body_);
  }

 private:
  void end_event() {
    body_.bytes += "\n\n";
    body_.event_ends.push_back(body_.bytes.size());
  }

  const Reply& reply_;
  bool include_usage_;
  ReplyBody body_;
};

}  // namespace

ReplyBody openai_completion(const Reply& reply) {
  ReplyBody body;
  std::string& out = body.bytes;
  append_head(out, reply, "chat.completion");
  out += R"({"index":0,"message":)";
  append_message(out, reply);
  out += R"(,"logprobs":null,"finish_reason":)";
  append_json(out, finish_reason(reply));
  out += R"(}],"usage":)";
  append_usage(out, reply.usage);
  out += '}';
  return body;
}

ReplyBody openai_stream(const Reply& reply, bool include_usage) {
  ChunkWriter writer(reply, include_usage);
  writer.chunk(
      [](std::string& out) { out += R"("role":"assistant","content":"","refusal":null)"; });
  writer.deltas("reasoning_content", reply.thinking);
  writer.deltas(reply.stop == "refusal" ? "refusal" : "content", reply.text);
  for (std::size_t i = 0; i < reply.calls.size(); ++i) {
    writer.call(reply.calls[i], static_cast<std::int64_t>(i));
  }
  return writer.finish();
}

std::string openai_error(const Rejection& rejection, const std::string& code) {
  std::string out = R"({"error":{"message":)";
  append_json(out, rejection.message);
  out += R"(,"type":)";
  append_json(out, rejection.type);
  out += R"(,"param":)";
  if (rejection.param.empty()) {
    out += "null";
  } else {
    append_json(out, rejection.param);
  }
  out += R"(,"code":)";
  if (code.empty()) {
    out += "null";
  } else {
    append_json(out, code);
  }
  out += "}}";
  return out;
}

std::string openai_error_event(const std::string& type) {
  return "data: {\"error\":{\"message\":\"scripted\",\"type\":\"" + type +
         "\",\"param\":null,\"code\":null}}\n\n";
}

}  // namespace ba::scripted
