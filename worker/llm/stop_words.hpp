#pragma once
// SPDX-License-Identifier: Apache-2.0
// The words by which servers say why a reply ended, and what each means for a job: a closed list. A
// reply whose word isn't on it is no answer. Also what a stream says beside JSON. Pure functions.

#include <optional>
#include <string_view>

#include "pipeline/base/error.hpp"
#include "pipeline/core/model/model_client.hpp"
#include "worker/http/sse_parser.hpp"

namespace ba::llm {

enum class StopMeaning {
  Answered,     ///< the model said all it wanted to
  Calls,        ///< it asks for tools
  Cut,          ///< by the output limit
  Refused,      ///< by the model, or a filter of its provider
  ContextFull,  ///< the conversation left no room for more
  Paused,       ///< the turn isn't over: the provider wants to be asked to go on
  Malformed,    ///< the model wrote what its server could not read
  Failed,       ///< the server gave up: what there is of the reply is not an answer
};

/// The word of Anthropic, Bedrock and Z.ai for ContextFull.
inline constexpr const char* kContextFullWord = "model_context_window_exceeded";

/// In any letter case. None: nobody's word that we know.
std::optional<StopMeaning> stop_meaning(std::string_view word);

/// The stop of a reply that ended with `word` and holds `message`; `field` is where the word stood,
/// for messages. An empty word is the end of a reply that came whole but without one. Calls that
/// are whole count under each word that doesn't say that the reply was cut, refused or given up.
/// Errors: the word means a failure; it isn't known; it announces calls and there is none.
Result<StopReason> stop_of(std::string_view field, std::string_view word, const AiMessage& message);

/// Nothing in it, or a word for "still here".
bool says_nothing(const http::SseEvent& event);

/// "[DONE]", in any letter case.
bool says_done(const http::SseEvent& event);

}  // namespace ba::llm
