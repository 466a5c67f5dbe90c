#pragma once
// SPDX-License-Identifier: Apache-2.0
// Gives replies and errors the form of OpenAI's chat completions. Pure functions.

#include <string>

#include "tests/scripted_model/rejection.hpp"
#include "tests/scripted_model/reply.hpp"

namespace ba::scripted {

ReplyBody openai_completion(const Reply& reply);
ReplyBody openai_stream(const Reply& reply, bool include_usage);
std::string openai_error(const Rejection& rejection, const std::string& code);
/// An error object in the middle of a stream.
std::string openai_error_event(const std::string& type);

}  // namespace ba::scripted
