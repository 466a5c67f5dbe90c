// SPDX-License-Identifier: Apache-2.0
#include "worker/llm/tool_rules.hpp"

#include <algorithm>
#include <array>

#include "worker/llm/known_servers.hpp"
#include "worker/llm/protocol.hpp"

namespace ba::llm {
namespace tool_rows {

using Rules = ToolRules;

// https://platform.openai.com/docs/api-reference/chat/create and …/responses/create: "tools": at
// most 128; a function's name is a-z, A-Z, 0-9, underscores and dashes of at most 64. What it says
// of a schema ("Invalid schema for function"): type "object", nothing of oneOf, anyOf, allOf, enum
// and not at the top level, "array schema missing items".
constexpr Rules kOpenai{.who = "OpenAI", .tools_max = 128};

// https://docs.claude.com/en/api/messages: "tools.input_schema" is JSON Schema of draft 2020-12 of
// type "object", "name" of 1 to 128 of [a-zA-Z0-9_-]. What it says of one: "input_schema does not
// support oneOf, allOf, or anyOf at the top level", "Property keys should match pattern
// '^[a-zA-Z0-9_.-]{1,64}$'".
constexpr Rules kAnthropic{
    .who = "Anthropic", .name_bytes_max = 128, .property_words = true, .items_needed = false};

// https://ai.google.dev/api/caching#Schema: the keywords, formats of numbers and texts, enum of
// strings; #FunctionDeclaration: the name begins with a letter or an underscore, and has 64
// characters at most.
// https://cloud.google.com/vertex-ai/generative-ai/docs/multimodal/function-calling: 128
// declarations; its errors: "when using any_of, it must be the only field set", "properties: should
// be non-empty for OBJECT type", "required[0]: property is not defined".
constexpr std::array<std::string_view, 21> kGeminiKeywords{
    "type",          "format",    "title",     "description", "nullable", "enum",
    "items",         "maxItems",  "minItems",  "properties",  "required", "minProperties",
    "maxProperties", "minLength", "maxLength", "pattern",     "example",  "anyOf",
    "minimum",       "maximum",   "default"};
constexpr std::array<std::string_view, 6> kGeminiFormats{"float", "double", "int32",
                                                         "int64", "enum",   "date-time"};
constexpr Rules kGemini{.who = "Google's Gemini",
                        .tools_max = 128,
                        .names = Rules::Names::LetterFirst,
                        .text_enums = true,
                        .lone_any_of = true,
                        .known_required = true,
                        .typed = true,
                        .type_lists = Rules::Lists::Nullable,
                        .keywords = kGeminiKeywords,
                        .formats = kGeminiFormats};

// https://docs.mistral.ai/api (Function: name "Must be a-z, A-Z, 0-9, or contain underscores and
// dashes, with a maximum length of 64", parameters any object).
constexpr Rules kMistral{.who = "Mistral"};

// https://github.com/ggml-org/llama.cpp/blob/master/grammars/README.md: schemas become grammars;
// "Pattern must start with '^' and end with '$'", "not" is an "Unrecognized schema".
constexpr std::array<std::string_view, 28> kGrammarKeywords{"type",
                                                            "format",
                                                            "title",
                                                            "description",
                                                            "enum",
                                                            "const",
                                                            "items",
                                                            "prefixItems",
                                                            "minItems",
                                                            "maxItems",
                                                            "properties",
                                                            "required",
                                                            "minProperties",
                                                            "maxProperties",
                                                            "additionalProperties",
                                                            "minLength",
                                                            "maxLength",
                                                            "pattern",
                                                            "anyOf",
                                                            "oneOf",
                                                            "allOf",
                                                            "minimum",
                                                            "maximum",
                                                            "exclusiveMinimum",
                                                            "exclusiveMaximum",
                                                            "default",
                                                            "examples",
                                                            "nullable"};
// Of large bounds: "number of repetitions exceeds sane defaults", and grammars too large to parse.
constexpr Rules kLlamaCpp{.who = "llama.cpp",
                          .repeats_max = 256,
                          .patterns = Rules::Patterns::Anchored,
                          .keywords = kGrammarKeywords};

// https://docs.vllm.ai/en/latest/features/tool_calling.html: schemas become grammars (xgrammar)
// where a tool is forced only; names as OpenAI's.
constexpr Rules kVllm{.who = "vLLM"};

// https://github.com/ollama/ollama/blob/main/api/types.go: parameters.type is one text,
// parameters.properties has objects with "type", "items", "description", "enum", "anyOf".
constexpr Rules kOllama{.who = "Ollama"};

// https://platform.moonshot.ai/docs: 128 tools at most. https://github.com/MoonshotAI/kimi-cli
// issue 1773: a function's name "must start with a letter and can contain letters, numbers,
// underscores, and dashes". https://github.com/vercel/ai pull request 18921, of its schemas ("not a
// valid moonshot flavored json schema"): "when using anyOf, type should be defined in anyOf items
// instead of the parent schema". https://github.com/earendil-works/pi issue 5822: "type is not
// defined", "conflict in schema definitions for key 'if'".
constexpr Rules kMoonshot{.who = "Moonshot",
                          .tools_max = 128,
                          .names = Rules::Names::LetterFirst,
                          .property_words = true,
                          .typed = true,
                          .typed_branches = true,
                          .type_lists = Rules::Lists::Split,
                          .keywords = kGrammarKeywords};

/// A server of which nothing is known, which may hand on to any of these: what the protocols'
/// owners both take, and types as one text: Go's servers read no other. Of anyOf Moonshot says
/// "type should be defined in anyOf items instead of the parent schema".
constexpr Rules kCareful{.who = "a server that is not known",
                         .tools_max = 128,
                         .property_words = true,
                         .typed_branches = true,
                         .type_lists = Rules::Lists::Split};

// A model that calls tools in its text reads the schema; nobody else does.
constexpr Rules kText{
    .as_is = true, .who = "a model that calls tools in its text", .names = Rules::Names::Any};

constexpr std::array<const Rules*, 10> kAll{&kOpenai,   &kAnthropic, &kGemini, &kMistral,
                                            &kLlamaCpp, &kVllm,      &kOllama, &kMoonshot,
                                            &kCareful,  &kText};

const ToolRules* of_quirks(LlmQuirks quirks) {
  switch (quirks) {
    case LlmQuirks::LlamaCpp:
      return &kLlamaCpp;
    case LlmQuirks::Vllm:
      return &kVllm;
    case LlmQuirks::Ollama:
      return &kOllama;
    case LlmQuirks::Mistral:
      return &kMistral;
    case LlmQuirks::None:
      break;
  }
  return nullptr;
}

const ToolRules& unknown(const ProviderConfig& provider, const ModelConfig& model) {
  return is_moonshot(provider, model) ? kMoonshot : kCareful;
}

}  // namespace tool_rows

namespace {

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

bool is_word(std::string_view text, std::string_view more) {
  return std::ranges::all_of(text, [&](char c) {
    return is_letter(c) || (c >= '0' && c <= '9') || more.find(c) != more.npos;
  });
}

}  // namespace

const ToolRules& tool_rules(const ProviderConfig& provider, const ModelConfig& model) {
  return provider.protocol->tool_rules(provider, model);
}

std::span<const ToolRules* const> all_tool_rules() { return tool_rows::kAll; }

std::string name_fault(std::string_view name, const ToolRules& rules) {
  if (rules.names == ToolRules::Names::Any) return "";
  const std::string taken = std::string(rules.who) + " takes names of 1 to " +
                            std::to_string(rules.name_bytes_max) + " letters, digits, '_' and '-'";
  if (name.empty() || name.size() > rules.name_bytes_max || !is_word(name, "_-")) return taken;
  if (rules.names == ToolRules::Names::LetterFirst && name[0] != '_' && !is_letter(name[0]))
    return taken + " that begin with a letter or '_'";
  return "";
}

bool is_property_word(std::string_view name) {
  constexpr std::size_t kBytesMax = 64;
  return !name.empty() && name.size() <= kBytesMax && is_word(name, "_.-");
}

}  // namespace ba::llm
