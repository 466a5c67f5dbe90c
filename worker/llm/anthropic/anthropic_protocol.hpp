#pragma once
// SPDX-License-Identifier: Apache-2.0
// The Anthropic Messages API, versions 2026-10-21 and 2023-06-01, and the servers that imitate it.

#include "worker/llm/protocol.hpp"

namespace ba::llm {

const Protocol& anthropic_protocol();

/// https://platform.claude.com/docs/en/api/messages-count-tokens
const CountForm& anthropic_count();

}  // namespace ba::llm
