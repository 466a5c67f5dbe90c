// SPDX-License-Identifier: Apache-2.0
#include "worker/llm/provider_count.hpp"

#include "pipeline/message/json_text.hpp"
#include "pipeline/message/json_view.hpp"
#include "worker/llm/protocol.hpp"
#include "worker/llm/server_question.hpp"
#include "worker/llm/url.hpp"

namespace ba {
namespace {

std::string question_of(const std::string& model_id, std::string_view text) {
  std::string question = R"({"model":)";
  append_json_string(question, model_id);
  question += R"(,"messages":[{"role":"user","content":)";
  append_json_string(question, text);
  return question + "}]}";
}

}  // namespace

bool counts_tokens(const ProviderConfig& provider) {
  return provider.protocol == LlmProtocol::Anthropic;
}

Result<std::int64_t> counted_by_provider(const ProviderConfig& provider,
                                         const std::string& model_id, std::string_view text,
                                         Milliseconds timeout) {
  if (!counts_tokens(provider))
    return invalid_argument("provider '" + provider.name +
                            "' has no endpoint that counts tokens; those of protocol anthropic do");
  if (text.empty()) return 0;
  const std::string url = api_url(provider.base_url, "/messages/count_tokens");
  const auto body = ask_server(provider, url, question_of(model_id, text), timeout);
  if (!body) return body.error();
  const auto json = JsonView::parse(*body);
  const auto count = json ? (*json)["input_tokens"].integer() : std::nullopt;
  if (count && *count >= 0) return *count;
  Error error;
  error.code = ErrorCode::Protocol;
  error.message = url + " answered without input_tokens";
  return error;
}

}  // namespace ba
