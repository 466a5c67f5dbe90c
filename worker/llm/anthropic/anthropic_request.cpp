// SPDX-License-Identifier: Apache-2.0
#include "worker/llm/anthropic/anthropic_wire.hpp"

#include <algorithm>
#include <optional>
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

bool blank_text(JsonView block) {
  return block["type"].equals("text") && is_blank(block["text"].text());
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

/// Round summaries and the like at the head of a history belong to the system prompt.
std::string system_blocks(const ModelRequest& request, std::size_t leading, bool cache) {
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
  return blocks.empty() ? "" : R"("system":[)" + blocks + "],";
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

/// Writes roles and blocks; blocks of the same role that follow each other share a message.
class AnthropicWriter final : public RequestWriter {
 public:
  AnthropicWriter(const ModelRequest& request, const ProtocolContext& context)
      : cache_(marks_cache(request, context)),
        origin_(extra_origin(context.provider)),
        system_(request.system),
        leading_(leading_system_messages(request)),
        blocks_(system_blocks(request, leading_, cache_)),
        loose_(loose_thoughts(request, context)) {}

  bool goes_on(const ModelRequest& request, const ProtocolContext& context) override {
    const std::size_t loose = loose_thoughts(request, context);
    if (request.system != system_ || marks_cache(request, context) != cache_ ||
        !same_leading(request, leading_) || std::min(loose, added_) != std::min(loose_, added_))
      return false;
    loose_ = loose;
    return true;
  }

  std::string head(const ModelRequest& request, const ProtocolContext& context) const override {
    std::string head;
    write_settings(head, request, context);
    head += blocks_;
    write_tools(head, request, context, cache_ && leading_ == 0);
    return head;
  }

  Result<void> add(const Message& message, std::size_t place) override {
    added_ = place + 1;
    if (place < leading_) return {};
    if (const auto* reply = std::get_if<AiMessage>(&message))
      if (auto good = check_extra(*reply, place, origin_, "content blocks"); !good) return good;
    of_loose_ = place < loose_;
    std::visit([this](const auto& one) { write(one); }, message);
    return {};
  }

  /// Up to where the last mark but one of the next request may stand.
  void settle(std::string& body) override {
    const std::size_t settled = cache_ ? end_before_.value_or(0) : out_.size();
    body.append(out_, 0, settled);
    out_.erase(0, settled);
    if (end_before_) *end_before_ -= settled;
  }

  /// The end of the conversation so far is marked: the next step reads all before it from the
  /// cache. Where the end before is marked as well, it finds it behind more blocks than the
  /// provider looks back (20).
  std::string end() const override {
    std::string end = out_;
    if (cache_ && role_ == "user") {
      end.insert(end.size() - 1, kCacheHere);
      if (end_before_) end.insert(*end_before_, kCacheHere);
    }
    if (!role_.empty()) end += "]}";
    return end + "]}";
  }

  std::size_t bytes() const override {
    return sizeof(*this) + system_.size() + blocks_.size() + out_.capacity() + ids_.bytes();
  }

 private:
  /// What is asked beside the conversation is asked once.
  static bool marks_cache(const ModelRequest& request, const ProtocolContext& context) {
    return caches(context.provider) && !request.aside;
  }

  // Inside a history there is no system role in every model: the text becomes the user's.
  void write(const SystemMessage& message) { add_text("user", message.text); }
  void write(const HumanMessage& message) { add_text("user", text_for_model(message)); }

  void write(const AiMessage& message) {
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

  void write(const ToolMessage& message) {
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
    if (!json) return;  // checked before
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
      if (of_loose_ && thinking) continue;
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
    if (cache_ && role_ == "user") end_before_ = out_.size() - 1;
    if (!role_.empty()) out_ += "]},";
    role_ = role;
    write_json(out_, R"({"role":")", role, R"(","content":[)");
  }

  const bool cache_;
  const std::string origin_;
  const std::string system_;
  const std::size_t leading_;  ///< system messages, which stand with the prompt
  const std::string blocks_;   ///< of these
  std::size_t loose_;          ///< the thoughts in the first so many messages are left out
  std::size_t added_ = 0;      ///< messages
  std::string out_ = R"("messages":[)";
  WireToolIds ids_{IdRule::Word};
  std::string_view role_;
  bool of_loose_ = false;  ///< the message that is being written
  std::optional<std::size_t>
      end_before_;  ///< in out_: inside the last block of the users' message before
};

}  // namespace

std::unique_ptr<RequestWriter> anthropic_writer(const ModelRequest& request,
                                                const ProtocolContext& context) {
  return std::make_unique<AnthropicWriter>(request, context);
}

}  // namespace ba::llm
