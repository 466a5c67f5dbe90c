// SPDX-License-Identifier: Apache-2.0
#include "worker/llm/anthropic/anthropic_wire.hpp"

#include <utility>

#include "pipeline/text/message/job_time.hpp"
#include "pipeline/text/message/json_view.hpp"
#include "worker/llm/message_parts.hpp"
#include "worker/llm/thinking_bonds.hpp"
#include "worker/llm/tool_id.hpp"

namespace ba::llm {
namespace {

constexpr std::string_view kCacheHere = R"(,"cache_control":{"type":"ephemeral"})";

bool caches(const ProviderConfig& provider) {
  return provider.prompt_cache.value_or(provider.quirks == LlmQuirks::None);
}

bool thinking_block(JsonView block) {
  return block["type"].equals("thinking") || block["type"].equals("redacted_thinking");
}

bool blank_text(JsonView block) {
  return block["type"].equals("text") && is_blank(block["text"].text());
}

/// Writes roles and blocks; blocks of the same role that follow each other share a message.
class MessageWriter {
 public:
  MessageWriter(std::string& out, const ProviderConfig& provider, bool cache)
      : out_(out), cache_(cache), origin_(extra_origin(provider)) {}

  /// Without what was thought in the first `loose` of all messages.
  void write(const std::vector<const Message*>& messages, std::size_t from, std::size_t loose) {
    out_ += R"("messages":[)";
    for (std::size_t i = from; i < messages.size(); ++i) {
      loose_ = i < loose;
      std::visit([this](const auto& message) { add(message); }, *messages[i]);
    }
    // The end of the conversation so far: the next step reads all before it from the cache. Where
    // the end before is marked as well, it finds it behind more blocks than the provider looks back
    // (20).
    if (cache_ && role_ == "user") {
      out_.insert(out_.size() - 1, kCacheHere);
      if (end_before_ > 0) out_.insert(end_before_, kCacheHere);
    }
    if (!role_.empty()) out_ += "]}";
    out_ += ']';
  }

 private:
  // Inside a history there is no system role in every model: the text becomes the user's.
  void add(const SystemMessage& message) { add_text("user", message.text); }
  void add(const HumanMessage& message) { add_text("user", text_for_model(message)); }

  void add(const AiMessage& message) {
    const bool own = message.extra && message.extra->provider == origin_;
    for (const ToolCall& call : message.tool_calls) ids_.add(call.id.value, own);
    if (own) return add_untouched(message.extra->json);
    add_text("assistant", message.text);
    for (const ToolCall& call : message.tool_calls) {
      begin_block("assistant");
      write_json(out_, R"({"type":"tool_use","id":)", Quoted{ids_.wire(call.id.value)},
                 R"(,"name":)", Quoted{wire_tool_name(call.name)}, R"(,"input":)", call.args_json,
                 '}');
    }
  }

  void add(const ToolMessage& message) {
    begin_block("user");
    write_json(out_, R"({"type":"tool_result","tool_use_id":)",
               Quoted{ids_.wire(message.tool_call_id.value)}, R"(,"content":)",
               Quoted{message.content});
    if (message.status == ToolStatus::Error) out_ += R"(,"is_error":true)";
    out_ += '}';
  }

  /// The provider refuses text blocks without visible text.
  void add_text(std::string_view role, std::string_view text) {
    if (is_blank(text)) return;
    begin_block(role);
    write_json(out_, R"({"type":"text","text":)", Quoted{text}, '}');
  }

  /// `content` is the array of blocks as the model sent it, but for those that the provider writes
  /// and doesn't take back: texts without text, and thinking that a cut left at the end. Thinking
  /// must not stand behind another reply's blocks.
  void add_untouched(std::string_view content) {
    const auto json = JsonView::parse(content);
    if (!json) return;  // checked before: see check_extras
    std::vector<JsonView> blocks;
    std::size_t kept = 0;
    json->for_each_element([&](JsonView block) {
      if (blank_text(block)) return;
      blocks.push_back(block);
      if (!thinking_block(block)) kept = blocks.size();
    });
    bool first = true;
    for (std::size_t i = 0; i < kept; ++i) {
      const bool thinking = thinking_block(blocks[i]);
      if (loose_ && thinking) continue;
      if (std::exchange(first, false) && thinking && role_ == "assistant")
        add_text("user", kUserBetween);
      begin_block("assistant");
      out_ += blocks[i].raw();
    }
  }

  void begin_block(std::string_view role) {
    if (role == role_) {
      out_ += ',';
      return;
    }
    if (role_.empty() && role == "assistant") add_text("user", kUserOpening);
    if (role_ == "user") end_before_ = out_.size() - 1;
    if (!role_.empty()) out_ += "]},";
    role_ = role;
    write_json(out_, R"({"role":")", role, R"(","content":[)");
  }

  std::string& out_;
  bool cache_;
  const std::string origin_;
  WireToolIds ids_{IdRule::Word};
  std::string_view role_;
  bool loose_ = false;          ///< the message that is being written
  std::size_t end_before_ = 0;  ///< in out_: inside the last block of the users' message before
};

/// Round summaries and the like at the head of a history belong to the system prompt.
std::size_t leading_system_messages(const std::vector<const Message*>& messages) {
  std::size_t count = 0;
  while (count < messages.size() && std::holds_alternative<SystemMessage>(*messages[count]))
    ++count;
  return count;
}

void write_output_config(std::string& out, const ModelRequest& request,
                         const ProtocolContext& context) {
  const bool structured = structured_output(request, context).native;
  if (!context.model.effort && !structured) return;
  out += R"(,"output_config":{)";
  if (context.model.effort) write_json(out, R"("effort":)", Quoted{*context.model.effort});
  if (structured) {
    if (context.model.effort) out += ',';
    write_json(out, R"("format":{"type":"json_schema","schema":)", request.answer_schema, '}');
  }
  out += '}';
}

/// The provider refuses a budget that isn't below max_tokens: a reply that short is written
/// without.
bool has_room_to_think(const ThinkingConfig& thinking, std::int64_t max_tokens) {
  return thinking.mode != ThinkingMode::Enabled || thinking.budget_tokens < max_tokens;
}

bool thinks_first(JsonView blocks) {
  bool first = true;
  bool thinks = false;
  blocks.for_each_element([&](JsonView block) {
    if (blank_text(block)) return;
    if (std::exchange(first, false)) thinks = thinking_block(block);
  });
  return thinks;
}

/// With thinking enabled the provider refuses a turn that goes on and began without: by another
/// model, or because what was thought can't be sent any more.
bool turn_takes_thinking(const ModelRequest& request, const ProtocolContext& context) {
  if (context.model.thinking->mode != ThinkingMode::Enabled) return true;
  const std::size_t start = open_turn(request);
  if (start == 0) return true;
  const auto& reply = std::get<AiMessage>(*request.messages[start - 1]);
  if (start <= context.loose_thoughts || !reply.extra) return false;
  if (reply.extra->provider != extra_origin(context.provider)) return false;
  const auto blocks = JsonView::parse(reply.extra->json);
  return blocks && thinks_first(*blocks);
}

bool asks_to_think(const ModelRequest& request, const ProtocolContext& context) {
  const ModelConfig& model = context.model;
  return model.thinking && has_room_to_think(*model.thinking, output_tokens_max(request, model)) &&
         turn_takes_thinking(request, context);
}

/// The first so many of the messages go without what was thought in them: all, where a model that
/// is to think isn't asked to. It refuses what it doesn't expect.
std::size_t loose_thoughts(const ModelRequest& request, const ProtocolContext& context) {
  const bool unasked = context.model.thinking && !asks_to_think(request, context);
  return unasked ? request.messages.size() : context.loose_thoughts;
}

void write_settings(std::string& out, const ModelRequest& request, const ProtocolContext& context) {
  const ModelConfig& model = context.model;
  const std::int64_t max_tokens = output_tokens_max(request, model);
  write_json(out, R"({"model":)", Quoted{model.model_id}, R"(,"max_tokens":)", max_tokens);
  if (context.provider.streaming) out += R"(,"stream":true)";
  if (model.temperature) write_json(out, R"(,"temperature":)", *model.temperature);
  if (asks_to_think(request, context)) {
    write_json(out, R"(,"thinking":{"type":")", name_of(kThinkingModeNames, model.thinking->mode),
               '"');
    if (model.thinking->mode == ThinkingMode::Enabled)
      write_json(out, R"(,"budget_tokens":)", model.thinking->budget_tokens);
    out += '}';
  }
  write_output_config(out, request, context);
  out += ',';
}

void write_system(std::string& out, const ModelRequest& request, std::size_t leading, bool cache) {
  std::string blocks;
  const auto add = [&](std::string_view text, bool cached) {
    if (is_blank(text)) return;
    if (!blocks.empty()) blocks += ',';
    write_json(blocks, R"({"type":"text","text":)", Quoted{text});
    if (cached) blocks += kCacheHere;
    blocks += '}';
  };
  add(request.system, cache);
  // What was compressed stays until the next compression; what precedes it stays even then.
  for (std::size_t i = 0; i < leading; ++i)
    add(std::get<SystemMessage>(*request.messages[i]).text, cache && i + 1 == leading);
  if (blocks.empty()) return;
  write_json(out, R"("system":[)", blocks, "],");
}

/// `cache`: the provider takes four marks, and those behind the tools may be more useful.
void write_tools(std::string& out, const ModelRequest& request, const ProtocolContext& context,
                 bool cache) {
  if (request.tools.empty()) return;
  out += R"("tools":[)";
  for (const ToolSpec& tool : request.tools) {
    if (&tool != &request.tools.front()) out += ',';
    write_json(out, R"({"name":)", Quoted{tool.name}, R"(,"description":)",
               Quoted{tool.description}, R"(,"input_schema":)", tool.parameters_schema);
    if (cache && &tool == &request.tools.back()) out += kCacheHere;
    out += '}';
  }
  out += "],";
  if (context.model.parallel_tool_calls) {
    out += R"("tool_choice":{"type":"auto","disable_parallel_tool_use":)";
    out += *context.model.parallel_tool_calls ? "false}," : "true},";
  }
}

/// Nothing that was thought stands in the open turn then. In a text the quotes would be escaped.
std::string without_enabled(std::string_view settings) {
  std::string out(settings);
  const std::size_t at = out.find(R"(,"thinking":{"type":"enabled")");
  if (at != std::string::npos) out.erase(at, out.find('}', at) + 1 - at);
  return out;
}

}  // namespace

Result<std::string> anthropic_request(const ModelRequest& request, const ProtocolContext& context) {
  if (auto valid = check_history(request); !valid) return valid.error();
  if (auto result = check_extras(request.messages, context.provider, "content blocks"); !result)
    return result.error();
  const std::size_t leading = leading_system_messages(request.messages);
  std::string out;
  write_settings(out, request, context);
  // What is asked beside the conversation is asked once.
  const bool cache = caches(context.provider) && !request.aside;
  write_system(out, request, leading, cache);
  write_tools(out, request, context, cache && leading == 0);
  MessageWriter(out, context.provider, cache)
      .write(request.messages, leading, loose_thoughts(request, context));
  out += '}';
  return out;
}

std::string without_thinking(std::string_view body) {
  const auto json = JsonView::parse(body);
  if (!json) return std::string(body);
  std::string out;
  const std::string_view messages = (*json)["messages"].raw();
  out += without_enabled(body.substr(0, static_cast<std::size_t>(messages.data() - body.data())));
  out += '[';
  std::string role;
  (*json)["messages"].for_each_element([&](JsonView message) {
    message["content"].for_each_element([&](JsonView block) {
      if (thinking_block(block)) return;
      const std::string next = message["role"].text();
      if (next == role) {
        out += ',';
      } else {
        out += role.empty() ? "" : "]},";
        out += R"({"role":")" + next + R"(","content":[)";
        role = next;
      }
      out += block.raw();
    });
  });
  out += role.empty() ? "]" : "]}]";
  out += body.substr(static_cast<std::size_t>(messages.data() + messages.size() - body.data()));
  return out;
}

}  // namespace ba::llm
