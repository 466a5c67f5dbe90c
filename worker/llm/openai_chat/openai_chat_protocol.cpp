// SPDX-License-Identifier: Apache-2.0
#include "worker/llm/openai_chat/openai_chat_protocol.hpp"

#include <array>

#include "worker/llm/count_form.hpp"
#include "worker/llm/failure_body.hpp"
#include "worker/llm/known_servers.hpp"
#include "worker/llm/openai_chat/openai_chat_wire.hpp"
#include "worker/llm/openai_responses/openai_responses_protocol.hpp"
#include "worker/llm/stop_words.hpp"
#include "worker/llm/tool_rules.hpp"

namespace ba::llm {
namespace {

/// The streamed form of a chat completion. The end is `[DONE]`, but a stream that just ends after
/// its finish_reason counts as well, and so does `[DONE]` alone: not every server says both.
class OpenaiChatStream final : public StreamReader {
 public:
  /// What `context` refers to must outlive the reader.
  explicit OpenaiChatStream(const ProtocolContext& context) : context_(context) {}

  Result<bool> take(const http::SseEvent& event) override {
    if (says_nothing(event)) return false;
    if (says_done(event)) {
      done_ = true;
      return true;
    }
    const auto json = JsonView::parse(event.data);
    if (!json && !draft_.finish_reason.empty()) return false;  // the reply is whole
    if (!json) return malformed_reply("a streamed event is not JSON: " + json.error().message);
    json->for_each_member([&](std::string_view key, JsonView value) {
      if (value.absent()) return;
      if (key == "choices") value.for_each_element([&](JsonView choice) { take_choice(choice); });
      if (key == "usage") draft_.read_usage(value);
      if (key == "x_groq") draft_.read_usage(value["usage"]);
      if (key == "id" && draft_.id.empty()) draft_.id = value.text();
      if (key == "model" && draft_.model.empty()) draft_.model = value.text();
      if (key == "error") draft_.read_error(value);
    });
    if (!begun_)
      draft_.failure = draft_.failure ? draft_.failure : read_error_instead_of_reply(*json);
    return draft_.failure.has_value();
  }

  Result<ProtocolReply> finish() override {
    const bool ended = draft_.failure || !draft_.finish_reason.empty() || (done_ && draft_.begun());
    if (!ended) return malformed_reply("the stream ended before the reply was complete");
    return finish_openai_chat_reply(std::move(draft_), context_);
  }

 private:
  void take_choice(JsonView choice) {
    begun_ = true;
    if (choice["index"].integer().value_or(0) != 0) return;
    draft_.read_choice(choice, context_.provider.resend_reasoning);
  }

  ProtocolContext context_;
  OpenaiChatDraft draft_;
  bool begun_ = false;  ///< by the first choice
  bool done_ = false;
};

constexpr ProtocolTraits kTraits{
    .name = "openai_chat",
    .path = "/chat/completions",
    .owner_url = kOpenaiUrl,
    .owner_key = kOpenaiKey,
    .owner = "openai",
    .strip_think = true,
    .text_tools = true,
    .servers_differ = true,
};

constexpr std::array<std::string_view, 3> kCountedMembers{"model", "messages", "tools"};

class OpenaiChatProtocol final : public Protocol {
 public:
  const ProtocolTraits& traits() const override { return kTraits; }

  std::unique_ptr<RequestWriter> request_writer(const ModelRequest& request,
                                                const ProtocolContext& context) const override {
    return openai_chat_writer(request, context);
  }

  std::unique_ptr<StreamReader> read_stream(const ProtocolContext& context) const override {
    return std::make_unique<OpenaiChatStream>(context);
  }

  StructuredOutput answer_form(const ClosedForm& form) const override {
    return openai_answer_form(form);
  }

  const ToolRules& tool_rules(const ProviderConfig& provider,
                              const ModelConfig& model) const override {
    if (model.tool_calling == ToolCalling::Text) return tool_rows::kText;
    if (const ToolRules* rules = tool_rows::of_quirks(provider.quirks)) return *rules;
    if (is_openai_host(provider.base_url)) return tool_rows::kOpenai;
    if (is_google(provider, model)) return tool_rows::kGemini;
    return tool_rows::unknown(provider, model);
  }

  Counting counting() const override {
    static const std::array named{&openai_count(), &gemini_count()};
    return {chat_count(), named};
  }

  const CountForm* known_counter(const ProviderConfig& provider) const override {
    if (is_openai_host(provider.base_url)) return &openai_count();
    return is_gemini_host(provider.base_url) ? &gemini_count() : nullptr;
  }

  std::optional<std::string> thought_beside(const ToolCall& /*call*/, std::string_view thought,
                                            const ProviderConfig& provider,
                                            const ModelConfig& /*model*/) const override {
    if (provider.quirks == LlmQuirks::LlamaCpp || provider.quirks == LlmQuirks::Mistral)
      return std::nullopt;
    return R"({"reasoning_content":")" + std::string(thought) + "\"}";
  }

  std::optional<BetterProtocol> better_protocol(const ProviderConfig& provider,
                                                const ModelConfig& model) const override {
    if (!is_openai_host(provider.base_url) || !is_openai_reasoning_model(model.model_id) ||
        model.effort == "none")
      return std::nullopt;
    return BetterProtocol{openai_responses_protocol().name(), "over chat completions OpenAI's ",
                          " takes tools with effort none only, or not at all"};
  }

 private:
  Result<ProtocolReply> read_whole(JsonView body, const ProtocolContext& context) const override {
    OpenaiChatDraft draft;
    draft.id = body["id"].text();
    draft.model = body["model"].text();
    draft.read_error(body["error"]);
    JsonView choice;
    body["choices"].for_each_element([&](JsonView candidate) {
      if (choice.absent()) choice = candidate;
    });
    draft.read_choice(choice, context.provider.resend_reasoning);
    draft.read_usage(body["usage"]);
    if (!draft.failure && !choice["message"].is(JsonKind::Object)) {
      draft.failure = read_error_instead_of_reply(body);
      if (!draft.failure) return malformed_reply("choices[0].message is missing");
    }
    return finish_openai_chat_reply(std::move(draft), context);
  }
};

}  // namespace

const Protocol& openai_chat_protocol() {
  static const OpenaiChatProtocol protocol;
  return protocol;
}

const CountForm& chat_count() {
  static const ProtocolCountForm form(openai_chat_protocol(),
                                      {.members = kCountedMembers,
                                       .needs_schemas = false,
                                       .text_tools = true,
                                       .before_text = R"(,"messages":[{"role":"user","content":)",
                                       .behind_text = "}]}"});
  return form;
}

}  // namespace ba::llm
