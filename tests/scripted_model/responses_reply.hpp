#pragma once
// SPDX-License-Identifier: Apache-2.0
// Gives replies the form of OpenAI's Responses API; errors before a reply look as chat completions'
// do. Pure functions.

#include <string>

#include "tests/scripted_model/reply.hpp"

namespace ba::scripted {

ReplyBody responses_response(const Reply& reply);
ReplyBody responses_stream(const Reply& reply);
/// An `error` event in the middle of a stream.
std::string responses_error_event(const std::string& type);

}  // namespace ba::scripted
