#pragma once
// SPDX-License-Identifier: Apache-2.0
// Answers to what a server asks of a client. A worker has no person to ask: it advertises nothing
// of the kind and declines; a test may accept with the defaults of the form. Pure; any thread.

#include <optional>

#include "worker/mcp/rpc_message.hpp"

namespace ba::mcp {

enum class Elicitation { Decline, AcceptDefaults };

/// What a client says it can do.
Json client_capabilities(Elicitation elicitation);

/// The whole JSON-RPC answer to a request of a legacy server.
std::string answer_to(const RpcMessage& request, Elicitation elicitation);

/// `inputResponses` for the `inputRequests` of a modern server; none when one of them can't be met.
std::optional<Json> input_responses(const Json& input_requests, Elicitation elicitation);

}  // namespace ba::mcp
