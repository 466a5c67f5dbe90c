// SPDX-License-Identifier: Apache-2.0
#include "worker/runtime/ask_model.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "worker/llm/curl_http_client.hpp"
#include "worker/llm/llm_client.hpp"
#include "worker/llm/openai_chat/think_block.hpp"
#include "worker/runtime/asio_executor.hpp"
#include "worker/runtime/system_clock.hpp"

namespace ba {
namespace {

constexpr const char* kTool = "count_rows";

MessageMeta meta(const SystemClock& clock, int message) {
  MessageMeta meta;
  meta.message_id = MessageId("doctor/0/" + std::to_string(message));
  meta.conversation_id = ConversationId("doctor");
  meta.round_id = "doctor/0";
  meta.timestamp = clock.wall();
  return meta;
}

/// A question, a call that another model made (its id is none of this one's), the result, and a
/// user's word behind it: what jobs send, and what servers are choosy about.
std::vector<Message> conversation(const SystemClock& clock) {
  HumanMessage question{meta(clock, 0), "How many rows does the table flights have?"};
  AiMessage call;
  call.meta = meta(clock, 1);
  ToolCall& asked = call.tool_calls.emplace_back();
  asked.id = ToolCallId("call_1_of_another_model");
  asked.name = kTool;
  ToolMessage result;
  result.meta = meta(clock, 2);
  result.tool_call_id = asked.id;
  result.tool_name = kTool;
  result.content = "336776";
  HumanMessage last{meta(clock, 3), "Answer with the single word: ready"};
  return {std::move(question), std::move(call), std::move(result), std::move(last)};
}

Result<ModelReply> ask(const LlmConfig& config, const std::string& model) {
  AsioExecutor executor;
  const SystemClock clock;
  SystemRandom random;
  const auto http = make_curl_http_client(executor.context());
  auto client = make_llm_client(config, LlmPorts{executor, clock, random, *http});
  if (!client) return client.error();

  const std::vector<Message> messages = conversation(clock);
  ModelRequest request;
  request.model = model;
  request.system = "You answer as briefly as you can.";
  request.tools = {{kTool, "Counts the rows of a table.", R"({"type":"object","properties":{}})"}};
  for (const Message& message : messages) request.messages.push_back(&message);
  request.max_output_tokens = 64;
  request.timeout = Milliseconds(60'000);

  std::optional<ModelOutcome> outcome;
  ModelListener listener;
  listener.done = [&](ModelOutcome answer) {
    outcome = std::move(answer);
    executor.finish();
  };
  const auto call = (*client)->ask(request, std::move(listener));
  executor.run();
  if (const auto* failure = std::get_if<ModelFailure>(&*outcome)) return failure->error;
  return std::move(std::get<ModelReply>(*outcome));
}

/// Settings by which servers of chat completions differ in what they take; the least first.
struct Variant {
  std::optional<MaxTokensField> max_tokens_field;
  std::optional<LlmQuirks> quirks;
  std::optional<ToolCalling> tool_calling;
};

constexpr std::array kVariants = std::to_array<Variant>({
    {MaxTokensField::MaxTokens, std::nullopt, std::nullopt},
    {std::nullopt, LlmQuirks::Vllm, std::nullopt},
    {std::nullopt, LlmQuirks::Mistral, std::nullopt},
    {MaxTokensField::MaxTokens, std::nullopt, ToolCalling::Text},
});

/// "llm.providers.local.quirks: mistral"; what is set so already is no part of it.
std::string apply(const Variant& variant, ProviderConfig& provider, ModelConfig& model) {
  std::string said;
  const auto set = [&said](const std::string& key, auto& value, const auto& wanted,
                           const auto& names) {
    if (!wanted || value == *wanted) return;
    value = *wanted;
    said += (said.empty() ? "" : ", ") + key + ": " + std::string(name_of(names, *wanted));
  };
  const std::string of_provider = "llm.providers." + provider.name + ".";
  set(of_provider + "max_tokens_field", provider.max_tokens_field, variant.max_tokens_field,
      kMaxTokensFieldNames);
  set(of_provider + "quirks", provider.quirks, variant.quirks, kLlmQuirksNames);
  set("llm.models." + model.name + ".tool_calling", model.tool_calling, variant.tool_calling,
      kToolCallingNames);
  return said;
}

/// Empty: none of the variants is answered, or the refusal is none of the request's form.
std::string what_is_taken(const LlmConfig& config, const std::string& model, const Error& refusal) {
  if (refusal.code != ErrorCode::InvalidArgument) return "";
  for (const Variant& variant : kVariants) {
    LlmConfig changed = config;
    const auto of_model = std::ranges::find(changed.models, model, &ModelConfig::name);
    if (of_model == changed.models.end()) return "";
    const auto provider =
        std::ranges::find(changed.providers, of_model->provider, &ProviderConfig::name);
    if (provider == changed.providers.end() || provider->protocol != LlmProtocol::OpenaiChat)
      return "";
    const std::string said = apply(variant, *provider, *of_model);
    if (said.empty()) continue;
    const Result<ModelReply> reply = ask(changed, model);
    // Taken, if ill answered; and what may have been paid is asked once.
    if (reply || reply.error().code == ErrorCode::Protocol || reply.error().maybe_done) return said;
  }
  return "";
}

std::string answer_of(const ModelReply& reply, const std::string& model) {
  const std::string& text = reply.message.text;
  std::string answer = reply.provider + "/" + reply.model + ": " + text;
  if (text.empty() && !reply.message.tool_calls.empty())
    answer += "calls " + reply.message.tool_calls[0].name;
  if (leading_think_block(text))
    answer = "its text begins with its thinking: set llm.models." + model +
             ".strip_think to true, or a reasoning parser at the server; " + answer;
  return answer;
}

}  // namespace

Result<std::string> ask_one_model(const LoadedConfig& loaded, const std::string& model) {
  LlmConfig config = loaded.config.llm;
  config.retry.tries_max = 1;  // a person waits, and wants to see the first failure
  const Result<ModelReply> reply = ask(config, model);
  if (reply) return answer_of(*reply, model);
  Error error = reply.error();
  if (const std::string taken = what_is_taken(config, model, error); !taken.empty())
    error.message += "; it is answered with " + taken;
  return error;
}

}  // namespace ba
