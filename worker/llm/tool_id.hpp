#pragma once
// SPDX-License-Identifier: Apache-2.0
// Tool call ids and names as providers accept them. An id is always the model's own; one with
// characters outside [a-zA-Z0-9_-] (some models issue "functions.x:0") is written in hexadecimal
// behind a marker, in requests only. One-to-one, and the same in every request. Pure functions.

#include <string>
#include <string_view>

namespace ba {

/// Whether wire_tool_id() changes the id.
bool needs_wire_form(std::string_view id);

std::string wire_tool_id(std::string_view id);

/// The name of a call in a history: what [a-zA-Z0-9_-]{1,64} doesn't take is '_' or cut. Only names
/// of tools that don't exist are changed, so nothing needs to undo it.
std::string wire_tool_name(std::string_view name);

}  // namespace ba
