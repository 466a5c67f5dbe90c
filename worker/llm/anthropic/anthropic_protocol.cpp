// SPDX-License-Identifier: Apache-2.0
#include "worker/llm/anthropic/anthropic_protocol.hpp"

#include <array>

#include "pipeline/text/answer/closed_form.hpp"
#include "worker/llm/anthropic/anthropic_wire.hpp"
#include "worker/llm/count_form.hpp"
#include "worker/llm/failure_body.hpp"
#include "worker/llm/known_servers.hpp"
#include "worker/llm/reply_draft.hpp"
#include "worker/llm/tool_rules.hpp"

namespace ba::llm {
namespace {

/// From this date on; dates of this form compare as texts.
constexpr std::string_view kBearerVersion = "2026-10-21";
constexpr std::string_view kThinkingBound = "bound to a different conversation";

constexpr std::array<std::string_view, 2> kVersions{kBearerVersion, "2023-06-01"};

constexpr ProtocolTraits kTraits{
    .name = "anthropic",
    .path = "/messages",
    .owner_url = "https://api.anthropic.com",
    .owner_key = "ANTHROPIC_API_KEY",
    .owner = "anthropic",
    .quirks_in_spans = false,
    .api_versions = kVersions,
    .thinking = true,
};

constexpr std::array<std::string_view, 7> kCountedMembers{
    "model", "messages", "system", "tools", "tool_choice", "thinking", "output_config"};

class AnthropicProtocol final : public Protocol {
 public:
  const ProtocolTraits& traits() const override { return kTraits; }

  http::HttpHeaders headers(const ProviderConfig& provider) const override {
    http::HttpHeaders headers{{"anthropic-version", Secret(provider.api_version)}};
    if (provider.api_key.empty()) return headers;
    if (provider.api_version >= kBearerVersion)
      headers.emplace_back("authorization", Secret("Bearer " + provider.api_key.reveal()));
    else
      headers.emplace_back("x-api-key", provider.api_key);
    return headers;
  }

  std::unique_ptr<RequestWriter> request_writer(const ModelRequest& request,
                                                const ProtocolContext& context) const override {
    return anthropic_writer(request, context);
  }

  std::unique_ptr<StreamReader> read_stream(const ProtocolContext& context) const override {
    return anthropic_stream(context);
  }

  std::optional<std::string> repaired_body(const Error& error,
                                           std::string_view body) const override {
    if (error.message.find(kThinkingBound) == std::string::npos) return std::nullopt;
    std::string repaired = without_thinking(body);
    if (repaired == body) return std::nullopt;
    return repaired;
  }

  ThinkingBonds::Rules thinking_rules(const ModelConfig& model) const override {
    return {.bound = true, .turn_stays = has_budget(model)};
  }

  StructuredOutput answer_form(const ClosedForm& form) const override {
    return {.native = form.closed && !form.recursive, .strict = false};
  }

  const ToolRules& tool_rules(const ProviderConfig& provider,
                              const ModelConfig& model) const override {
    if (is_host(provider.base_url, "api.anthropic.com")) return tool_rows::kAnthropic;
    return tool_rows::unknown(provider, model);
  }

  Counting counting() const override {
    static const std::array named{&anthropic_count()};
    return {anthropic_count(), named};
  }

  const CountForm* known_counter(const ProviderConfig& /*provider*/) const override {
    return &anthropic_count();
  }

  std::string_view temperature_fault(const ProviderConfig& provider,
                                     const ModelConfig& /*model*/) const override {
    if (provider.api_version < kBearerVersion) return {};
    return "API version 2026-10-21 takes no sampling parameters; leave it out";
  }

  /// None where the budget is larger than the answer.
  std::optional<std::string> thought_beside(const ToolCall& call, std::string_view thought,
                                            const ProviderConfig& /*provider*/,
                                            const ModelConfig& model) const override {
    if (has_budget(model)) return std::nullopt;
    return R"([{"type":"thinking","thinking":")" + std::string(thought) +
           R"(","signature":""},{"type":"tool_use","id":")" + call.id.value + R"(","name":")" +
           call.name + R"(","input":{}}])";
  }

 private:
  static bool has_budget(const ModelConfig& model) {
    return model.thinking && model.thinking->mode == ThinkingMode::Enabled;
  }

  Result<ProtocolReply> read_whole(JsonView body, const ProtocolContext& context) const override {
    const JsonView content = body["content"];
    const JsonView error = body["error"];
    if (says_error(error)) return failed_reply_of_200(read_reported_error(error), false, context);
    if (!content.is(JsonKind::Array)) {
      if (const auto failure = read_error_instead_of_reply(body))
        return failed_reply_of_200(*failure, false, context);
      return malformed_reply("content is not an array of blocks");
    }
    AnthropicDraft draft;
    draft.read_message(body);
    bool objects = true;
    content.for_each_element([&](JsonView block) {
      objects = objects && block.is(JsonKind::Object);
      draft.blocks.push_back(read_anthropic_block(block));
    });
    if (!objects) return malformed_reply("a block is not an object");
    return finish_anthropic_reply(std::move(draft), context);
  }
};

}  // namespace

const Protocol& anthropic_protocol() {
  static const AnthropicProtocol protocol;
  return protocol;
}

const CountForm& anthropic_count() {
  static const ProtocolCountForm form(anthropic_protocol(),
                                      {.name = "anthropic",
                                       .url_end = "/count_tokens",
                                       .path = "/messages/count_tokens",
                                       .members = kCountedMembers,
                                       .before_text = R"(,"messages":[{"role":"user","content":)",
                                       .behind_text = "}]}"});
  return form;
}

}  // namespace ba::llm
