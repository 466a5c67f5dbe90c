// SPDX-License-Identifier: Apache-2.0
#include "worker/llm/failure_body.hpp"

#include <array>
#include <string>
#include <vector>

#include "pipeline/base/lower_case.hpp"

namespace ba::llm {
namespace {

constexpr std::size_t kTextMax = 4096;  ///< that is looked at
constexpr std::size_t kDigitsMax = 12;
constexpr std::int64_t kLeast = 16;  ///< smaller ones count no context: the 1 of [1, 30720]

enum class Role { Limit, Input, Output, Total };

/// What a number is that stands behind the words `before` and ahead of the words `after`.
struct Cue {
  Role role;
  std::string_view before;
  std::string_view after;
};

/// The first that fits decides. Words in lower case, without marks but < > and +.
constexpr auto kCues = std::to_array<Cue>({
    {Role::Output, "", "in the completion"},          // OpenAI, DeepSeek
    {Role::Output, "", "tokens for the completion"},  // SGLang
    {Role::Output, "", "in the output"},              // OpenRouter
    {Role::Output, "", "output tokens"},              // vLLM
    {Role::Output, "", "max new tokens"},             // Text Generation Inference
    {Role::Output, "+", ""},                          // Anthropic: input + output > limit
    {Role::Input, "exceed context limit", ""},        // Anthropic
    {Role::Input, "prompt is too long", ""},          // Anthropic
    {Role::Input, "your request has", ""},            // vLLM
    {Role::Input, "you passed", ""},                  // vLLM
    {Role::Input, "decoder prompt length", ""},       // vLLM
    {Role::Input, "resulted in", ""},                 // OpenAI
    {Role::Input, "request contains", ""},            // xAI
    {Role::Input, "prompt contains", ""},             // Mistral
    {Role::Input, "token count", ""},                 // Gemini
    {Role::Input, "token count is", ""},              // Gemini
    {Role::Input, "token count of", ""},              // Copilot
    {Role::Input, "keep the first", ""},              // LM Studio
    {Role::Input, "the input", ""},                   // SGLang
    {Role::Input, "request", "tokens"},               // llama.cpp
    {Role::Input, "received", ""},                    // Cohere
    {Role::Input, "given", ""},                       // Text Generation Inference
    {Role::Input, "", "in the messages"},             // OpenAI
    {Role::Input, "", "tokens in the messages"},      // OpenAI
    {Role::Input, "", "tokens from the input"},       // SGLang
    {Role::Input, "", "input tokens"},                // vLLM
    {Role::Input, "", "inputs tokens"},               // Text Generation Inference
    {Role::Total, "you requested about", ""},         // OpenRouter
    {Role::Total, "requested a total of", ""},        // SGLang
    {Role::Total, "requested", ""},                   // OpenAI, Groq, Moonshot
    {Role::Limit, ">", ""},                           // Anthropic
    {Role::Limit, "must be <", ""},                   // Text Generation Inference
    {Role::Limit, "context length is", ""},           // OpenAI, vLLM, DeepSeek
    {Role::Limit, "context length is only", ""},      // vLLM
    {Role::Limit, "context length of", ""},           // SGLang
    {Role::Limit, "context length of only", ""},      // LM Studio
    {Role::Limit, "context length", ""},              // SGLang, Ollama
    {Role::Limit, "model length of", ""},             // vLLM
    {Role::Limit, "model length is", ""},             // vLLM
    {Role::Limit, "prompt length is", ""},            // xAI
    {Role::Limit, "prompt length of", ""},            // gateways
    {Role::Limit, "input length of", ""},             // gateways
    {Role::Limit, "context size", ""},                // llama.cpp
    {Role::Limit, "context size of", ""},             // Ollama
    {Role::Limit, "context window", ""},              // gateways
    {Role::Limit, "context window of", ""},           // gateways
    {Role::Limit, "context window is", ""},           // gateways
    {Role::Limit, "tokens allowed", ""},              // Gemini
    {Role::Limit, "supports up to", ""},              // Gemini
    {Role::Limit, "limit of", ""},                    // Copilot
    {Role::Limit, "limit", ""},                       // Moonshot, Groq
    {Role::Limit, "limit is", ""},                    // gateways
    {Role::Limit, "cannot exceed", ""},               // Cohere
    {Role::Limit, "must have less than", ""},         // Text Generation Inference
    {Role::Limit, "length should be 1", ""},          // DashScope
    {Role::Limit, "", "maximum"},                     // Anthropic, Mistral
});

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return c >= 'a' && c <= 'z'; }

struct Number {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::int64_t value = 0;
};

/// From a digit on, with marks between thousands; end 0: it is too long.
Number read_number(std::string_view text, std::size_t at) {
  Number number{at, at, 0};
  std::size_t digits = 0;
  for (std::size_t i = at; i < text.size(); ++i) {
    const bool mark = (text[i] == ',' || text[i] == '_') && i + 3 < text.size() &&
                      is_digit(text[i + 1]) && is_digit(text[i + 2]) && is_digit(text[i + 3]);
    if (mark) continue;
    if (!is_digit(text[i])) break;
    if (++digits <= kDigitsMax) number.value = number.value * 10 + (text[i] - '0');
    number.end = i + 1;
  }
  if (digits > kDigitsMax) number.value = 0;
  return number;
}

/// Numbers by themselves: not those of a model's name or a version.
std::vector<Number> numbers_in(std::string_view text) {
  std::vector<Number> numbers;
  for (std::size_t at = 0; at < text.size();) {
    if (!is_digit(text[at])) {
      ++at;
      continue;
    }
    Number number = read_number(text, at);
    const char before = at > 0 ? text[at - 1] : ' ';
    const char after = number.end < text.size() ? text[number.end] : ' ';
    const char behind = number.end + 1 < text.size() ? text[number.end + 1] : ' ';
    const bool thousands = after == 'k' && !is_letter(behind) && !is_digit(behind);
    const bool fraction = after == '.' && is_digit(behind);
    const bool part = is_letter(before) || std::string_view("-._/").find(before) != text.npos ||
                      (is_letter(after) && !thousands) || fraction;
    at = number.end;
    if (thousands) number.value *= 1000;
    if (!part && number.value >= kLeast) numbers.push_back(number);
  }
  return numbers;
}

/// Words with one space between them.
std::string words_of(std::string_view text) {
  std::string words;
  bool gap = false;
  for (const char c : text) {
    const bool sign = c == '<' || c == '>' || c == '+';
    if (!is_letter(c) && !is_digit(c) && !sign) {
      gap = c != '\'' || gap;  // "model's" is one word
      continue;
    }
    if ((gap || sign) && !words.empty() && words.back() != ' ') words += ' ';
    words += c;
    gap = sign;
  }
  return words;
}

bool ends_with_words(std::string_view text, std::string_view words) {
  if (!text.ends_with(words)) return false;
  return text.size() == words.size() || text[text.size() - words.size() - 1] == ' ';
}

bool starts_with_words(std::string_view text, std::string_view words) {
  return text.starts_with(words) && (text.size() == words.size() || text[words.size()] == ' ');
}

std::optional<Role> role_of(std::string_view before, std::string_view after) {
  for (const Cue& cue : kCues)
    if ((cue.before.empty() || ends_with_words(before, cue.before)) &&
        (cue.after.empty() || starts_with_words(after, cue.after)))
      return cue.role;
  return std::nullopt;
}

}  // namespace

ContextRefusal context_numbers(std::string_view message) {
  const std::string text = lower_case(message.substr(0, kTextMax));
  const std::vector<Number> numbers = numbers_in(text);
  std::array<std::optional<std::int64_t>, 4> told{};
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const std::size_t from = i > 0 ? numbers[i - 1].end : 0;
    const std::size_t to = i + 1 < numbers.size() ? numbers[i + 1].begin : text.size();
    const std::string_view all(text);
    const auto role = role_of(words_of(all.substr(from, numbers[i].begin - from)),
                              words_of(all.substr(numbers[i].end, to - numbers[i].end)));
    if (!role) continue;
    auto& first = told.at(static_cast<std::size_t>(*role));
    if (!first) first = numbers[i].value;
  }
  const auto& [limit, input, output, total] = told;
  ContextRefusal refusal;
  refusal.limit = limit;
  refusal.counted = input ? input : total;
  refusal.counted_output = !input && total.has_value();
  refusal.output = output;
  if (total && output && *output < *total) {
    refusal.counted = *total - *output;
    refusal.counted_output = false;
  }
  return refusal;
}

}  // namespace ba::llm
