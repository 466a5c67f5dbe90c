// SPDX-License-Identifier: Apache-2.0
#include "worker/llm/openai_responses/openai_responses_protocol.hpp"

#include <array>
#include <string>
#include <string_view>

#include "pipeline/text/message/json_view.hpp"
#include "worker/llm/count_form.hpp"
#include "worker/llm/failure_body.hpp"
#include "worker/llm/known_servers.hpp"
#include "worker/llm/message_parts.hpp"
#include "worker/llm/openai_responses/openai_responses_wire.hpp"
#include "worker/llm/tool_rules.hpp"

namespace ba::llm {
namespace {

// A request's body again, without what a provider refused in it. Pure functions; a body in which
// there is nothing to leave out comes back as it was.

void append_without_id(std::string& out, JsonView item) {
  out += '{';
  item.for_each_member([&](std::string_view key, JsonView value) {
    if (key != "id") append_member(out, key, value.raw());
  });
  out += '}';
}

/// Without reasoning items, which only the key and the model that wrote them can read, and without
/// the ids of the items around them, which name reasoning that isn't there any more.
std::string without_reasoning(std::string_view body) {
  const auto json = JsonView::parse(body);
  if (!json) return std::string(body);
  const JsonView input = (*json)["input"];
  if (!input.is(JsonKind::Array)) return std::string(body);
  std::string items;
  bool left_out = false;
  input.for_each_element([&](JsonView item) {
    if (item["type"].equals("reasoning")) {
      left_out = true;
      return;
    }
    if (!items.empty()) items += ',';
    append_without_id(items, item);
  });
  if (!left_out) return std::string(body);
  const auto start = static_cast<std::size_t>(input.raw().data() - body.data());
  std::string out(body.substr(0, start));
  out += '[' + items + ']';
  out += body.substr(start + input.raw().size());
  return out;
}

/// Without `include`: models that don't reason refuse to encrypt their reasoning.
std::string without_include(std::string_view body) {
  std::string out(body);
  // Within a text its quotation marks would be escaped; of the rest, it stands before all else.
  const std::size_t at = out.find(kIncludeReasoning);
  if (at != std::string::npos) out.erase(at, kIncludeReasoning.size());
  return out;
}

constexpr std::string_view kUnreadableReasoning = "invalid_encrypted_content";
constexpr std::string_view kNothingToEncrypt = "Encrypted content is not supported";

constexpr ProtocolTraits kTraits{
    .name = "openai_responses",
    .path = "/responses",
    .owner_url = kOpenaiUrl,
    .owner_key = kOpenaiKey,
    .owner = "openai",
    .output_tokens_min = 16,
    .plainer = "openai_chat",
};

constexpr std::array<std::string_view, 8> kCountedMembers{
    "model",     "input", "instructions", "tools", "tool_choice", "parallel_tool_calls",
    "reasoning", "text"};

bool contains(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

/// Its models' thoughts can be read behind anything, or not at all: thinking_rules() are none.
class OpenaiResponsesProtocol final : public Protocol {
 public:
  const ProtocolTraits& traits() const override { return kTraits; }

  std::unique_ptr<RequestWriter> request_writer(const ModelRequest& request,
                                                const ProtocolContext& context) const override {
    return openai_responses_writer(request, context);
  }

  std::unique_ptr<StreamReader> read_stream(const ProtocolContext& context) const override {
    return openai_responses_stream(context);
  }

  std::optional<std::string> repaired_body(const Error& error,
                                           std::string_view body) const override {
    std::string repaired(body);
    if (contains(error.detail, kUnreadableReasoning))
      repaired = without_reasoning(body);
    else if (contains(error.message, kNothingToEncrypt))
      repaired = without_include(body);
    if (repaired == body) return std::nullopt;
    return repaired;
  }

  /// A model that doesn't reason has nothing to encrypt at any time.
  bool refuses_always(const Error& error) const override {
    return contains(error.message, kNothingToEncrypt);
  }

  StructuredOutput answer_form(const ClosedForm& form) const override {
    return openai_answer_form(form);
  }

  const ToolRules& tool_rules(const ProviderConfig& provider,
                              const ModelConfig& model) const override {
    if (is_openai_host(provider.base_url)) return tool_rows::kOpenai;
    return tool_rows::unknown(provider, model);
  }

  Counting counting() const override {
    static const std::array named{&openai_count()};
    return {openai_count(), named};
  }

  const CountForm* known_counter(const ProviderConfig& /*provider*/) const override {
    return &openai_count();
  }

  std::string_view temperature_fault(const ProviderConfig& provider,
                                     const ModelConfig& model) const override {
    if (provider.quirks != LlmQuirks::None || !model.effort || *model.effort == "none") return {};
    return "is refused with any effort but none; leave one of them out";
  }

 private:
  Result<ProtocolReply> read_whole(JsonView body, const ProtocolContext& context) const override {
    OpenaiResponsesDraft draft;
    draft.read_response(body);
    if (!draft.failure) {
      const JsonView output = body["output"];
      if (output.is(JsonKind::Array))
        draft.read_output(output);
      else if (draft.failure = read_error_instead_of_reply(body); !draft.failure)
        return malformed_reply("output is not an array of items");
    }
    return finish_openai_responses_reply(std::move(draft), context);
  }
};

}  // namespace

const Protocol& openai_responses_protocol() {
  static const OpenaiResponsesProtocol protocol;
  return protocol;
}

const CountForm& openai_count() {
  static const ProtocolCountForm form(openai_responses_protocol(),
                                      {.name = "openai",
                                       .url_end = "/input_tokens",
                                       .path = "/responses/input_tokens",
                                       .members = kCountedMembers,
                                       .before_text = R"(,"input":)",
                                       .behind_text = "}"});
  return form;
}

}  // namespace ba::llm
