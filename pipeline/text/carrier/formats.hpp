#pragma once
// SPDX-License-Identifier: Apache-2.0
// One pair of functions for each form; carrier.cpp chooses. Nobody else includes it. Readers say
// what is wrong to the FieldReader; writers to theirs, where a message contradicts itself.

#include <string>
#include <string_view>
#include <vector>

#include "pipeline/text/carrier/carrier.hpp"
#include "pipeline/text/carrier/conversation_builder.hpp"
#include "pipeline/text/carrier/field_reader.hpp"

namespace ba {

inline constexpr std::string_view kAnthropicProtocol = "anthropic";
inline constexpr std::string_view kOpenaiChatProtocol = "openai_chat";
inline constexpr std::string_view kResponsesProtocol = "openai_responses";

/// A conversation that is being read.
struct CarrierInput {
  FieldReader& reader;
  ConversationBuilder& builder;
  Losses& losses;
  std::string_view provider;  ///< the configured name, or empty
};

/// One that is being written.
struct CarrierOutput {
  FieldReader& reader;
  CarrierText& text;
};

inline std::string message_field(std::size_t index) {
  return "messages[" + std::to_string(index) + "]";
}

void read_langchain(const CarrierInput& in, JsonView messages);
void write_langchain(const CarrierOutput& out, const std::vector<Message>& messages);

void read_anthropic(const CarrierInput& in, JsonView system, JsonView messages);
void write_anthropic(const CarrierOutput& out, const std::vector<Message>& messages);

/// The blocks of an assistant's message: text, thinking and calls; what more there is stays as the
/// message's extra. `call_fields` gets where each call stands.
void read_anthropic_blocks(const CarrierInput& in, JsonView content, const std::string& field,
                           AiMessage& message, std::vector<std::string>& call_fields);

/// The same of blocks that LangChain's integrations put into the content of an AIMessage. Calls of
/// Anthropic's blocks only: others' stand in `tool_calls` alone.
AiMessage read_langchain_blocks(const CarrierInput& in, JsonView data, const std::string& field);

void read_openai(const CarrierInput& in, JsonView messages);
void write_openai(const CarrierOutput& out, const std::vector<Message>& messages);

void read_responses(const CarrierInput& in, JsonView instructions, JsonView items);
void write_responses(const CarrierOutput& out, const std::vector<Message>& messages);

void write_debug(const CarrierOutput& out, const std::vector<Message>& messages);

/// The texts of a Responses item of reasoning, a paragraph each.
std::string summary_of(JsonView reasoning);

/// The arguments of a call as OpenAI writes them: a text that should be a JSON object. What isn't
/// makes the call invalid, with the reason.
void read_arguments_text(ToolCall& call, std::string text);

/// The reverse: what the model wrote, also where it was no JSON object.
std::string arguments_text(Losses& losses, const ToolCall& call, const std::string& field);

}  // namespace ba
