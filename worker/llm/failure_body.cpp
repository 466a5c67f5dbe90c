// SPDX-License-Identifier: Apache-2.0
#include "worker/llm/failure_body.hpp"

#include <algorithm>
#include <array>
#include <initializer_list>

#include "pipeline/base/lower_case.hpp"
#include "worker/http/retry_wait.hpp"

namespace ba::llm {
namespace {

constexpr int kNestingMax = 3;  ///< of lists and objects around what an error says

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

bool contains_any(std::string_view text, std::initializer_list<std::string_view> parts) {
  return std::ranges::any_of(parts, [&](std::string_view part) { return contains(text, part); });
}

bool blank(std::string_view text) { return text.find_first_not_of(" \t\r\n") == text.npos; }

JsonView first_element(JsonView list) {
  JsonView first;
  list.for_each_element([&](JsonView element) {
    if (first.absent()) first = element;
  });
  return first;
}

/// The first of these members that is a text with something in it.
std::string first_text(JsonView object, std::initializer_list<std::string_view> keys) {
  for (const std::string_view key : keys)
    if (std::string text = object[key].text(); !blank(text)) return text;
  return "";
}

bool is_error_status(std::int64_t code) { return code >= 400 && code <= 599; }

/// A code is a string at some servers, the HTTP status as a number or null at others.
std::string code_of(JsonView error) {
  const JsonView detailed = error["details"]["error_code"];
  if (detailed.is(JsonKind::String)) return detailed.text();
  return first_text(error, {"code", "error_code", "errorCode"});
}

std::int64_t number_of_code(JsonView error) {
  for (const std::string_view key : {"code", "status_code", "error_code", "status"})
    if (const auto number = error[key].integer()) return *number;
  return 0;
}

/// What the server in front says, and what the one behind it said (OpenRouter: `metadata.raw`).
std::string message_of(JsonView error) {
  std::string message = first_text(error, {"message", "msg", "error_msg", "status_msg", "detail",
                                           "error_description", "error", "reason"});
  if (message.empty() && !error["message"].absent()) message = error["message"].raw();
  const std::string behind = error["metadata"]["raw"].text();
  if (!blank(behind)) message += (message.empty() ? "" : ": ") + behind;
  return message;
}

/// `google.rpc.RetryInfo`, or a number of seconds.
std::optional<Milliseconds> wait_of(JsonView error) {
  std::optional<Milliseconds> wait;
  const auto take = [&wait](JsonView value) {
    if (wait || value.absent()) return;
    if (value.is(JsonKind::String)) wait = http::parse_duration(value.text());
    if (value.is(JsonKind::String) && !wait) wait = http::parse_duration(value.text() + "s");
    if (value.is(JsonKind::Number)) wait = http::parse_duration(std::string(value.raw()) + "s");
  };
  error["details"].for_each_element([&](JsonView detail) { take(detail["retryDelay"]); });
  for (const std::string_view key : {"retry_after", "retryAfter", "retry_after_seconds"}) {
    take(error[key]);
    take(error["metadata"][key]);
  }
  return wait;
}

/// Where in a body the error is told: under a name, in a list, or at the top (vLLM's older form).
JsonView error_in(JsonView body, int nesting = 0) {
  if (nesting > kNestingMax) return body;
  if (body.is(JsonKind::Array)) return error_in(first_element(body), nesting + 1);
  for (const std::string_view key : {"error", "errors", "detail", "base_resp"})
    if (const JsonView inner = body[key]; inner.is(JsonKind::Object) || inner.is(JsonKind::Array))
      if (says_error(inner)) return error_in(inner, nesting + 1);
  return body;
}

/// In words, or as llama.cpp has it beside them.
ContextRefusal context_of(JsonView error, std::string_view message) {
  ContextRefusal context = context_numbers(message);
  if (!error.is(JsonKind::Object)) return context;
  if (const auto limit = error["n_ctx"].integer()) context.limit = *limit;
  if (const auto counted = error["n_prompt_tokens"].integer()) {
    context.counted = *counted;
    context.counted_output = false;
  }
  return context;
}

/// `error` may be the whole body, or a text alone.
ProviderFailure read_error_value(int status, JsonView error) {
  ProviderFailure failure;
  failure.status = status;
  std::string message;
  if (error.is(JsonKind::String)) message = error.text();
  if (error.is(JsonKind::Object)) {
    failure.type = readable(first_text(error, {"type", "error_type", "status", "__type"}));
    failure.code = readable(code_of(error));
    message = message_of(error);
    failure.wait = wait_of(error);
  }
  failure.context = context_of(error, message);
  if (!failure.wait) failure.wait = http::wait_in_words(message);
  failure.message = readable(message);
  return failure;
}

bool object_says_error(JsonView error) {
  for (const std::string_view key : {"code", "status_code"})
    if (const auto code = error[key].integer(); code == 0 || code == 200) return false;
  bool says = false;
  error.for_each_member(
      [&](std::string_view, JsonView value) { says = says || says_error(value); });
  return says;
}

/// Words of the servers for a conversation that is too long; in lower case.
constexpr auto kContextFull =
    std::to_array<std::string_view>({"prompt is too long",      // Anthropic
                                     "input is too long",       // Bedrock
                                     "maximum context length",  // OpenAI, vLLM, SGLang, Mistral
                                     "maximum model length",    // vLLM
                                     "model's context length",  // SGLang, vLLM
                                     "exceed context limit",    // Anthropic, with max_tokens
                                     "context window",          // OpenAI's Responses, LM Studio
                                     "context size",  // llama.cpp, and Ollama, which quotes it
                                     "max context length",        // Ollama
                                     "maximum prompt length",     // xAI
                                     "`max_new_tokens` must be",  // Text Generation Inference
                                     "reduce the length of the messages",  // Groq
                                     "exceeded model token limit",         // Moonshot
                                     "range of input length",              // DashScope
                                     "context overflow",                   // LM Studio
                                     "context the overflows",              // LM Studio
                                     "the context length",                 // LM Studio
                                     "must have less than",          // Text Generation Inference
                                     "prompt exceeds max length"});  // Z.ai

/// What a request has too many tokens of, where no server's own words are known.
bool says_too_many_tokens(std::string_view lower) {
  return contains(lower, "token") &&
         contains_any(lower, {"context", "prompt", "input", "conversation", "messages"}) &&
         contains_any(
             lower, {"exceed", "too long", "too many", "too large", "longer than", "larger than"});
}

}  // namespace

bool says_error(JsonView error) {
  switch (error.kind()) {
    case JsonKind::String:
      return !blank(error.text());
    case JsonKind::Number:
      return error.integer() != 0;
    case JsonKind::Bool:
      return error.raw() == "true";
    case JsonKind::Array:
      return says_error(first_element(error));
    case JsonKind::Object:
      return object_says_error(error);
    default:
      return false;
  }
}

ProviderFailure read_failure_body(int status, std::string_view body) {
  ProviderFailure failure;
  failure.status = status;
  const auto json = JsonView::parse(body);
  if (!json) {
    const std::string_view kind = what_it_is_instead(body);
    failure.message = kind == "an HTML page" ? std::string(kind) : readable(body);
    failure.wait = http::wait_in_words(body.substr(0, 4096));
    failure.context = context_numbers(body);
    return failure;
  }
  failure = read_error_value(status, error_in(*json));
  if (failure.message.empty()) failure.message = readable(json->raw());
  return failure;
}

ProviderFailure read_reported_error(JsonView error) {
  const JsonView said = error_in(error);
  ProviderFailure failure = read_error_value(500, said);
  if (failure.type == "error") failure.type.clear();  // of an event, not of the error
  const std::int64_t code = number_of_code(said);
  failure.status = is_error_status(code) ? static_cast<int>(code) : status_of_error_words(failure);
  if (failure.message.empty()) failure.message = readable(error.raw());
  return failure;
}

std::optional<ProviderFailure> read_error_instead_of_reply(JsonView body) {
  if (body.is(JsonKind::Array)) body = first_element(body);
  const JsonView said = error_in(body);
  const bool told = says_error(body["error"]) || said.raw().data() != body.raw().data() ||
                    (!message_of(body).empty() &&
                     (!code_of(body).empty() || is_error_status(number_of_code(body))));
  if (!body.is(JsonKind::Object) || !told || !says_error(said)) return std::nullopt;
  return read_reported_error(said);
}

bool says_context_exceeded(const ProviderFailure& failure) {
  const std::string lower = lower_case(failure.message);
  // Of a limit by the minute that the request alone is over: no wait makes it fit.
  if (failure.status == 429) return contains(lower, "request too large");
  for (const int other : {401, 402, 403})
    if (failure.status == other) return false;
  if (failure.status < 400 || contains_any(lower, {"per minute", "rate limit", "quota", "credits"}))
    return false;
  for (const std::string& word : {lower_case(failure.type), lower_case(failure.code)})
    if (contains_any(word, {"exceed_context_size", "context_length_exceeded", "contextwindow",
                            "context_window", "max_prompt_tokens"}))
      return true;
  return says_too_many_tokens(lower) ||
         std::ranges::any_of(kContextFull,
                             [&](std::string_view words) { return contains(lower, words); });
}

std::string_view what_it_is_instead(std::string_view body) {
  const std::size_t start = body.find_first_not_of(" \t\r\n");
  if (start == std::string_view::npos) return "empty";
  return body[start] == '<' ? "an HTML page" : "not JSON";
}

}  // namespace ba::llm
