// SPDX-License-Identifier: Apache-2.0
#include "worker/llm/failure_body.hpp"

#include <algorithm>
#include <array>

namespace ba {
namespace {

/// A code is a string at some servers, the HTTP status as a number or null at others.
std::string code_of(JsonView error) {
  const JsonView detailed = error["details"]["error_code"];
  return detailed.is(JsonKind::String) ? detailed.text() : error["code"].text();
}

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

}  // namespace

ProviderFailure read_error_value(int status, JsonView error) {
  ProviderFailure failure;
  failure.status = status;
  if (error.is(JsonKind::String)) failure.message = readable(error.text());
  if (!error.is(JsonKind::Object)) return failure;
  failure.type = readable(error["type"].text());
  failure.code = readable(code_of(error));
  failure.message = readable(error["message"].text());
  return failure;
}

ProviderFailure read_failure_body(int status, std::string_view body) {
  ProviderFailure failure;
  failure.status = status;
  const auto json = JsonView::parse(body);
  if (!json) {
    const std::string_view kind = what_it_is_instead(body);
    failure.message = kind == "an HTML page" ? std::string(kind) : readable(body);
    return failure;
  }
  const JsonView error = (*json)["error"];
  if (!error.absent()) return read_error_value(status, error);
  failure = read_error_value(status, *json);  // vLLM's older form: the error is the whole body
  if (failure.message.empty()) failure.message = readable(json->raw());
  return failure;
}

Error reported_error(JsonView error) {
  ProviderFailure failure = read_error_value(500, error);
  const std::int64_t code = error["code"].integer().value_or(0);
  failure.status =
      code >= 400 && code <= 599 ? static_cast<int>(code) : status_of_error_type(failure.type);
  Error known = error_of(failure);
  known.maybe_done = true;
  return known;
}

bool says_context_exceeded(const ProviderFailure& failure) {
  if (failure.status < 400 || failure.status == 401 || failure.status == 429) return false;
  if (failure.type == "exceed_context_size_error" || failure.code == "context_length_exceeded")
    return true;
  constexpr std::array<std::string_view, 6> kPhrases{
      "prompt is too long",                  // Anthropic
      "maximum context length",              // OpenAI, vLLM
      "maximum model length",                // vLLM
      "exceed context limit",                // Anthropic, with max_tokens
      "exceeds the available context size",  // llama.cpp, and Ollama, which quotes it
      "exceeded max context length"};        // Ollama
  return std::any_of(kPhrases.begin(), kPhrases.end(),
                     [&](std::string_view phrase) { return contains(failure.message, phrase); });
}

std::string_view what_it_is_instead(std::string_view body) {
  const std::size_t start = body.find_first_not_of(" \t\r\n");
  if (start == std::string_view::npos) return "empty";
  return body[start] == '<' ? "an HTML page" : "not JSON";
}

}  // namespace ba
