#pragma once
// SPDX-License-Identifier: Apache-2.0
// A ModelRequest as the body of POST /v1/chat/completions. System texts at the head of a history
// join the system message, later ones become the user's, and users' texts that follow each other
// are one message: templates of compatible servers accept nothing else.

#include <string>

#include "pipeline/base/error.hpp"
#include "worker/llm/protocol.hpp"

namespace ba {

Result<std::string> openai_chat_request(const ModelRequest& request,
                                        const ProtocolContext& context);

}  // namespace ba
