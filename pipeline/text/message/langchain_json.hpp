#pragma once
// SPDX-License-Identifier: Apache-2.0
// The stored and exported JSON of messages: what LangChain's messages_to_dict writes and
// messages_from_dict reads (langchain-core 0.3 and 1.x). What LangChain has no field for stands in
// data.additional_kwargs: `reasoning_content` (thinking, as LangChain's own integrations name it)
// and `ba` (conversation, round, user, time, version, and what only one provider understands).
// Arguments of tool calls and additional_kwargs stand in the text as they are and come back byte
// for byte, as long as the text is kept as text (PostgreSQL: text or json, not jsonb).
// Pure functions, any thread.

#include <string>
#include <string_view>
#include <vector>

#include "pipeline/base/error.hpp"
#include "pipeline/text/message/message.hpp"

namespace ba {

/// The message must have passed validate_message().
std::string message_to_json(const Message& message);

/// An older version is migrated (migration.hpp). Corrupt when it isn't a message, or of a version
/// this program doesn't read; the error names the field. Also reads what LangChain itself wrote;
/// what is missing there has its default.
Result<Message> message_from_json(std::string_view json);

/// A JSON array of messages.
std::string messages_to_json(const std::vector<Message>& messages);
Result<std::vector<Message>> messages_from_json(std::string_view json);

}  // namespace ba
