#pragma once
// SPDX-License-Identifier: Apache-2.0
// Token counts of a reply, made from the lengths of the texts: the same for the same request.
// Prompt caching is told as the providers do: a prompt that repeats at least 1024 tokens of the
// request before it has read them from the cache. Pure function.

#include "tests/scripted_model/reply.hpp"
#include "tests/scripted_model/request.hpp"
#include "tests/scripted_model/script.hpp"

namespace ba::scripted {

ReplyUsage estimate_usage(const Request& request, const Reply& reply, const ScriptUsage& fixed);

}  // namespace ba::scripted
