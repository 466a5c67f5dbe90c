// SPDX-License-Identifier: Apache-2.0
#include "worker/runtime/ask_model.hpp"

#include <optional>

#include "worker/llm/curl_http_client.hpp"
#include "worker/llm/llm_client.hpp"
#include "worker/runtime/asio_executor.hpp"
#include "worker/runtime/system_clock.hpp"

namespace ba {

Result<std::string> ask_one_model(const LoadedConfig& loaded, const std::string& model) {
  AsioExecutor executor;
  const SystemClock clock;
  SystemRandom random;
  const auto http = make_curl_http_client(executor.context());
  LlmConfig config = loaded.config.llm;
  config.retry.tries_max = 1;  // a person waits, and wants to see the first failure
  auto client = make_llm_client(config, LlmPorts{executor, clock, random, *http});
  if (!client) return client.error();

  HumanMessage question;
  question.meta.message_id = MessageId("doctor/0/0");
  question.meta.conversation_id = ConversationId("doctor");
  question.meta.round_id = "doctor/0";
  question.meta.timestamp = clock.wall();
  question.text = "Answer with the single word: ready";
  const Message message = question;
  ModelRequest request;
  request.model = model;
  request.system = "You answer as briefly as you can.";
  request.messages = {&message};
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
  const auto& reply = std::get<ModelReply>(*outcome);
  return reply.provider + "/" + reply.model + ": " + reply.message.text;
}

}  // namespace ba
