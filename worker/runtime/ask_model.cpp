// SPDX-License-Identifier: Apache-2.0
#include "worker/runtime/ask_model.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "worker/llm/llm_client.hpp"
#include "worker/llm/openai_chat/model_markup.hpp"
#include "worker/llm/protocol.hpp"
#include "worker/runtime/parts/process_parts.hpp"

namespace ba::runtime {
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

/// A call that another model made: its id is none of this one's.
ToolCall foreign_call() {
  ToolCall call;
  call.id = ToolCallId("call_1_of_another_model");
  call.name = kTool;
  return call;
}

/// What its own model would have thought before that call; none: nothing, in so short a question.
std::optional<ProviderExtra> thought_of(const llm::ProviderConfig& provider,
                                        const llm::ModelConfig& model) {
  auto thought =
      provider.protocol->thought_beside(foreign_call(), "The tool counts rows.", provider, model);
  if (!thought) return std::nullopt;
  return ProviderExtra{llm::extra_origin(provider), std::move(*thought)};
}

/// A question, that call, the result, and a user's word behind it: what jobs send, and what servers
/// are choosy about.
std::vector<Message> conversation(const SystemClock& clock, std::optional<ProviderExtra> thought) {
  HumanMessage question{meta(clock, 0), "How many rows does the table flights have?"};
  AiMessage call;
  call.meta = meta(clock, 1);
  call.tool_calls.push_back(foreign_call());
  call.extra = std::move(thought);
  ToolMessage result;
  result.meta = meta(clock, 2);
  result.tool_call_id = foreign_call().id;
  result.tool_name = kTool;
  result.content = "336776";
  HumanMessage last{meta(clock, 3), "Answer with the single word: ready"};
  return {std::move(question), std::move(call), std::move(result), std::move(last)};
}

Result<ModelReply> ask(const llm::LlmConfig& config, const std::string& model,
                       std::optional<ProviderExtra> thought = {}) {
  ProcessParts process;
  AsioExecutor& executor = process.executor;
  const SystemClock& clock = process.clock;
  auto client =
      llm::make_llm_client(config, llm::LlmPorts{executor, clock, process.random, *process.http});
  if (!client) return client.error();

  const std::vector<Message> messages = conversation(clock, std::move(thought));
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
  std::optional<llm::MaxTokensField> max_tokens_field;
  std::optional<llm::LlmQuirks> quirks;
  std::optional<llm::ToolCalling> tool_calling;
  bool resend_reasoning = false;  ///< with its own thinking beside the call
};

constexpr std::array kVariants = std::to_array<Variant>({
    {llm::MaxTokensField::MaxTokens, std::nullopt, std::nullopt},
    {std::nullopt, std::nullopt, std::nullopt, true},
    {llm::MaxTokensField::MaxTokens, std::nullopt, std::nullopt, true},
    {std::nullopt, llm::LlmQuirks::Vllm, std::nullopt},
    {std::nullopt, llm::LlmQuirks::Mistral, std::nullopt},
    {llm::MaxTokensField::MaxTokens, std::nullopt, llm::ToolCalling::Text},
});

/// "llm.providers.local.quirks: mistral"; what is set so already is no part of it.
std::string apply(const Variant& variant, llm::ProviderConfig& provider, llm::ModelConfig& model) {
  std::string said;
  const auto add = [&said](const std::string& setting) {
    said += (said.empty() ? "" : ", ") + setting;
  };
  const auto set = [&add](const std::string& key, auto& value, const auto& wanted,
                          const auto& names) {
    if (!wanted || value == *wanted) return;
    value = *wanted;
    add(key + ": " + std::string(name_of(names, *wanted)));
  };
  const std::string of_provider = "llm.providers." + provider.name + ".";
  set(of_provider + "max_tokens_field", provider.max_tokens_field, variant.max_tokens_field,
      llm::kMaxTokensFieldNames);
  set(of_provider + "quirks", provider.quirks, variant.quirks, llm::kLlmQuirksNames);
  set("llm.models." + model.name + ".tool_calling", model.tool_calling, variant.tool_calling,
      llm::kToolCallingNames);
  if (variant.resend_reasoning && !std::exchange(provider.resend_reasoning, true))
    add(of_provider + "resend_reasoning: true");
  return said;
}

/// With what a model is answered that refused the question.
struct Taken {
  std::string settings;  ///< that would have to be others; empty: none, but its own thinking
  Result<ModelReply> reply;
};

/// Taken, if ill answered; and what may have been paid is asked once.
bool ends_the_search(const Result<ModelReply>& reply) {
  return reply || reply.error().code == ErrorCode::Protocol || reply.error().maybe_done;
}

/// None: it isn't taken, or was refused already: `tried` has the settings of each.
std::optional<Taken> taken_with(const Variant& variant, llm::LlmConfig config,
                                const std::string& model, std::set<std::string>& tried) {
  const auto of_model = std::ranges::find(config.models, model, &llm::ModelConfig::name);
  if (of_model == config.models.end()) return std::nullopt;
  const auto provider =
      std::ranges::find(config.providers, of_model->provider, &llm::ProviderConfig::name);
  if (provider == config.providers.end()) return std::nullopt;
  const bool thinks = variant.resend_reasoning;
  std::optional<ProviderExtra> thought;
  if (thinks) thought = thought_of(*provider, *of_model);
  if (thinks && !thought) return std::nullopt;
  std::string settings;
  if (provider->protocol->traits().servers_differ) settings = apply(variant, *provider, *of_model);
  const bool thinks_alone = thinks && !variant.max_tokens_field;
  if (settings.empty() && !thinks_alone) return std::nullopt;
  if (!tried.insert(settings).second) return std::nullopt;
  Result<ModelReply> reply = ask(config, model, std::move(thought));
  if (!ends_the_search(reply)) return std::nullopt;
  return Taken{std::move(settings), std::move(reply)};
}

/// None: none of the variants is answered, or the refusal is none of the request's form, or came
/// from a model that had begun to answer, which is paid.
std::optional<Taken> what_is_taken(const llm::LlmConfig& config, const std::string& model,
                                   const Error& refusal) {
  if (refusal.code != ErrorCode::InvalidArgument || refusal.maybe_done) return std::nullopt;
  std::set<std::string> tried;
  for (const Variant& variant : kVariants)
    if (auto taken = taken_with(variant, config, model, tried)) return taken;
  return std::nullopt;
}

std::string answer_of(const ModelReply& reply, const std::string& model) {
  const std::string& text = reply.message.text;
  std::string answer = reply.provider + "/" + reply.model + ": " + text;
  if (text.empty() && !reply.message.tool_calls.empty())
    answer += "calls " + reply.message.tool_calls[0].name;
  if (llm::leading_think_block(text))
    answer = "its text begins with its thinking: set llm.models." + model +
             ".strip_think to true, or a reasoning parser at the server; " + answer;
  return answer;
}

Result<std::string> told(const Taken& taken, Error refusal, const std::string& model) {
  const Result<ModelReply>& reply = taken.reply;
  const std::string with =
      taken.settings.empty() ? "its own thinking beside the call, as it is set" : taken.settings;
  if (reply && taken.settings.empty())
    return answer_of(*reply, model) +
           " (with its own thinking beside each call, which it gets back as it is set; histories "
           "in which another model called tools it refuses: " +
           refusal.message + ")";
  if (!reply && reply.error().code != ErrorCode::Protocol)
    refusal.message += "; with " + with +
                       " no answer came, and it may be paid: nothing more was tried (" +
                       reply.error().message + ")";
  else
    refusal.message += "; it is answered with " + with;
  return refusal;
}

}  // namespace

Result<std::string> ask_one_model(const config::LoadedConfig& loaded, const std::string& model) {
  llm::LlmConfig config = loaded.config.llm;
  config.retry.tries_max = 1;  // a person waits, and wants to see the first failure
  const Result<ModelReply> reply = ask(config, model);
  if (reply) return answer_of(*reply, model);
  Error error = reply.error();
  const auto taken = what_is_taken(config, model, error);
  return taken ? told(*taken, std::move(error), model) : error;
}

}  // namespace ba::runtime
