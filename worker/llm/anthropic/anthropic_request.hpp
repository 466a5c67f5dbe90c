#pragma once
// SPDX-License-Identifier: Apache-2.0
// A ModelRequest as the body of POST /v1/messages. What does not change between the steps of a
// conversation comes first and is written the same each time, so that the prompt cache holds.

#include <string>
#include <string_view>

#include "pipeline/base/error.hpp"
#include "worker/llm/protocol.hpp"

namespace ba {

Result<std::string> anthropic_request(const ModelRequest& request, const ProtocolContext& context);

/// The same request without any thinking block: models bind those to the exact prefix they were
/// produced under and refuse them when it has changed (compression, another system prompt).
std::string without_thinking(std::string_view body);

}  // namespace ba
