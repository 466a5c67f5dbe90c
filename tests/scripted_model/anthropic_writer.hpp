#pragma once
// SPDX-License-Identifier: Apache-2.0
// Gives replies and errors the form of Anthropic's Messages API. Pure functions.

#include <string>

#include "tests/scripted_model/rejection.hpp"
#include "tests/scripted_model/reply.hpp"

namespace ba::scripted {

ReplyBody anthropic_message(const Reply& reply);
ReplyBody anthropic_stream(const Reply& reply);
std::string anthropic_error(const Rejection& rejection, const std::string& code);
/// An `error` event in the middle of a stream.
std::string anthropic_error_event(const std::string& type);

}  // namespace ba::scripted
