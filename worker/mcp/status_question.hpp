#pragma once
// SPDX-License-Identifier: Apache-2.0
// The question to a status tool and its answer, by a McpStatusRule. Pure; any thread.

#include <optional>
#include <string>

#include "pipeline/core/tool/tool.hpp"
#include "worker/mcp/json.hpp"
#include "worker/mcp/mcp_config.hpp"
#include "worker/mcp/tool_definition.hpp"

namespace ba::mcp {

/// Why `tool` can't be sent the worker's key as `key_argument`; none where that is empty.
std::optional<std::string> key_defect(const ToolDefinition& tool, const std::string& key_argument);

/// Why `asked` can't say what became of calls of `tool`: it isn't read-only as far as the server is
/// believed or the operator says, or what it is asked with doesn't fit the two schemas.
std::optional<std::string> status_defect(const ToolDefinition& tool, const ToolDefinition& asked,
                                         const McpServerConfig& server);

/// The arguments of the call in question with the key that the server knows it by.
Json with_key(Json arguments, const std::string& key_argument, const std::string& key);

/// The status tool's arguments. One that the call in question doesn't have is left out.
std::optional<Json> status_arguments(const McpStatusRule& rule, const Json& call,
                                     const std::string& key);

/// ".DIGEST" of what a question is asked with: a call that was begun under another one is known by
/// another key, or to another tool. How the answer is read is no part of it.
std::string question_version(const std::string& key_argument, const McpStatusRule& rule);

/// What the answer says of the call. A word that is in neither list is asked for again, in case the
/// call is under way; an answer that has no word can't tell.
EffectStatus read_status(const McpStatusRule& rule, const RawToolResult& answer);

/// A tool's schema without the parameter that the worker fills itself.
std::string without_parameter(const std::string& schema, const std::string& name);

}  // namespace ba::mcp
