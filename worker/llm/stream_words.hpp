#pragma once
// SPDX-License-Identifier: Apache-2.0
// Events of a stream that hold no JSON: those that only keep a connection alive, and the end mark
// of OpenAI's streams, which gateways send in any protocol. Pure functions.

#include "worker/http/sse_parser.hpp"

namespace ba {

/// Nothing in it, or a word for "still here".
bool says_nothing(const SseEvent& event);

/// "[DONE]", in any letter case.
bool says_done(const SseEvent& event);

}  // namespace ba
