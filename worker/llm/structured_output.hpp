#pragma once
// SPDX-License-Identifier: Apache-2.0
// Whether a provider is asked to hold the model to the schema of a job's answers by its own means.
// What it answers is checked all the same. Pure functions.

#include "worker/llm/protocol.hpp"

namespace ba {

/// `auto` is native at the protocols' owners, whose documents have it together with tools, and off
/// elsewhere. A compatible server (quirks) is asked only where no tools are offered: there the
/// schema wins, and the model calls none. Schemas that a provider refuses are left to
/// the check: at OpenAI those of no object, at Anthropic those that aren't closed
/// (closed_form.hpp).
StructuredOutput structured_output(const ModelRequest& request, const ProtocolContext& context);

}  // namespace ba
