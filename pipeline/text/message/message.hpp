#pragma once
// SPDX-License-Identifier: Apache-2.0
// The internal protocol: the LangChain message model. Everything foreign (provider formats, stored
// JSON) is converted to and from these values at a boundary. JSON stands here as text, so that what
// a model sent is kept byte for byte and this header stays light. Values.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "pipeline/base/ids.hpp"
#include "pipeline/base/time.hpp"
#include "pipeline/text/message/position.hpp"

namespace ba {

inline constexpr const char* kMessageSchemaVersion = "2.1";

/// Tokens of one or more model calls. The three input counts are disjoint; their sum is the total.
struct Usage {
  std::int64_t input_tokens = 0;        ///< not from a cache
  std::int64_t cache_read_tokens = 0;   ///< input read from the provider's prompt cache
  std::int64_t cache_write_tokens = 0;  ///< input written to it
  std::int64_t output_tokens = 0;       ///< includes thinking
  std::int64_t thinking_tokens = 0;     ///< part of output_tokens

  std::int64_t total_input() const { return input_tokens + cache_read_tokens + cache_write_tokens; }
  std::int64_t total() const { return total_input() + output_tokens; }
  Usage& operator+=(const Usage& other);
  friend bool operator==(const Usage&, const Usage&) = default;
};

/// What every message carries. Ids are deterministic (see message_id()), so that writing a message
/// twice is seen.
struct MessageMeta {
  MessageId message_id;
  ConversationId conversation_id;
  std::string round_id;  ///< "<job_id>/<round>"
  std::string user_id;   ///< optional; never sent to a model
  WallTime timestamp{};
  std::map<std::string, std::string> additional_kwargs;  ///< name to JSON text, e.g. isMeta: true
  std::string schema_version = kMessageSchemaVersion;

  friend bool operator==(const MessageMeta&, const MessageMeta&) = default;
};

/// Whose message it is.
struct MessageOwner {
  JobId job;
  ConversationId conversation;
  std::string user_id;
};

MessageMeta message_meta(const MessageOwner& owner, const Position& position, WallTime at);

/// A call the model asked for. `id` is always the model's own.
struct ToolCall {
  ToolCallId id;
  std::string name;
  std::string args_json = "{}";  ///< a JSON object as the model wrote it; "{}" when invalid
  std::string invalid_args;      ///< the text the model sent, when it was not a JSON object
  std::string args_error;        ///< why invalid_args was refused; empty for a valid call

  bool valid() const { return args_error.empty(); }
  friend bool operator==(const ToolCall&, const ToolCall&) = default;
};

/// What one provider sent that the neutral model has no word for (thinking signatures, reasoning
/// items). Goes back unchanged to the same provider only.
struct ProviderExtra {
  std::string provider;  ///< protocol and configured name: "anthropic/main"
  std::string json;      ///< untouched

  friend bool operator==(const ProviderExtra&, const ProviderExtra&) = default;
};

struct SystemMessage {
  MessageMeta meta;
  std::string text;
  friend bool operator==(const SystemMessage&, const SystemMessage&) = default;
};

struct HumanMessage {
  MessageMeta meta;
  std::string text;
  friend bool operator==(const HumanMessage&, const HumanMessage&) = default;
};

struct AiMessage {
  MessageMeta meta;
  std::string text;
  std::string thinking;
  std::vector<ToolCall> tool_calls;
  Usage usage;
  std::optional<ProviderExtra> extra;
  friend bool operator==(const AiMessage&, const AiMessage&) = default;
};

enum class ToolStatus { Success, Error };

struct ToolMessage {
  MessageMeta meta;
  ToolCallId tool_call_id;
  std::string tool_name;
  std::string content;  ///< the observation
  ToolStatus status = ToolStatus::Success;
  friend bool operator==(const ToolMessage&, const ToolMessage&) = default;
};

using Message = std::variant<SystemMessage, HumanMessage, AiMessage, ToolMessage>;

const MessageMeta& meta_of(const Message& message);
MessageMeta& meta_of(Message& message);

}  // namespace ba
