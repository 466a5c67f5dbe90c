#pragma once
// SPDX-License-Identifier: Apache-2.0
// A ModelRequest as the body of POST /v1/responses. System texts at the head of a history join the
// instructions, later ones become the user's, and users' texts that follow each other are one item,
// as in openai_chat.

#include <string>
#include <string_view>

#include "pipeline/base/error.hpp"
#include "worker/llm/protocol.hpp"

namespace ba {

/// Stands in every request: who keeps nothing at the provider must get the reasoning in a form that
/// can be handed back.
inline constexpr std::string_view kIncludeReasoning =
    R"("include":["reasoning.encrypted_content"],)";

Result<std::string> openai_responses_request(const ModelRequest& request,
                                             const ProtocolContext& context);

}  // namespace ba
