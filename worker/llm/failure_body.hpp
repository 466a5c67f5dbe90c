#pragma once
// SPDX-License-Identifier: Apache-2.0
// Reads the body of a failure. Servers answer in each other's shapes (llama.cpp sends OpenAI errors
// under Anthropic's path, Gemini puts them into a list, gateways at the top of the body, proxies
// send HTML), so one reader takes them all. Pure functions.

#include <string_view>

#include "pipeline/text/message/json_view.hpp"
#include "worker/llm/failure_table.hpp"

namespace ba::llm {

/// The body of a status other than 200.
ProviderFailure read_failure_body(int status, std::string_view body);

/// Whether the value of an "error" member says that something went wrong: {}, "", [], null and the
/// code 0 don't.
bool says_error(JsonView error);

/// What an error means in a body of status 200 or inside a stream: the request had been accepted.
/// The status is the error's code where that is one (llama.cpp, vLLM), else what its words stand
/// for.
ProviderFailure read_reported_error(JsonView error);

/// What a body of status 200 that holds no reply says instead; none: it says nothing of an error.
std::optional<ProviderFailure> read_error_instead_of_reply(JsonView body);

/// How long a request was and what its model takes, from the words of a message that says that a
/// context is full. Each server has its own sentence for it; what stands beside a number says what
/// it is. Nothing where the numbers aren't told, or in words that aren't known.
ContextRefusal context_numbers(std::string_view message);

/// Whether the provider says that the conversation is too long for the model.
bool says_context_exceeded(const ProviderFailure& failure);

/// "an HTML page" or "not JSON", for a body that should have been JSON.
std::string_view what_it_is_instead(std::string_view body);

}  // namespace ba::llm
