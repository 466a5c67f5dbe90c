#pragma once
// SPDX-License-Identifier: Apache-2.0
// The exact texts that a model reads when a call did not succeed.

#include <optional>
#include <string>

#include "pipeline/base/ids.hpp"
#include "pipeline/base/time.hpp"
#include "pipeline/core/tool/tool.hpp"
#include "pipeline/text/message/message.hpp"

namespace ba {

/// The same error with a message that can be stored and that a conversation can hold.
ToolError presentable(ToolError error);

/// The error observation. An empty code or message reads UNKNOWN / An unknown error occurred;
/// no error at all reads Unknown as its type.
std::string error_observation(const std::optional<ToolError>& error, const ToolCallId& id);

/// For a call that may or may not have taken effect. `error`: how its last try ended, if that was
/// heard; presentable.
std::string outcome_unknown_observation(const std::optional<ToolError>& error,
                                        const ToolCallId& id);

/// What the history has of a call's result.
ToolMessage observation_message(MessageMeta meta, const std::string& tool,
                                const ToolResult& result);

/// The result of such a call.
ToolResult unknown_result(const ToolCallId& id);

/// Of a call that was still open when its job ended, and can't have taken effect.
ToolResult not_completed_result(const ToolCallId& id);

/// Type timeout, code TIMEOUT, "Tool execution timed out after <timeout>ms".
ToolError timeout_error(Milliseconds timeout);

}  // namespace ba
