#pragma once
// SPDX-License-Identifier: Apache-2.0
// A provider and a model out of the environment alone, so that everything runs without a file:
// BA_LLM_BASE_URL (with BA_LLM_PROTOCOL, BA_LLM_MODEL, BA_LLM_API_KEY, BA_LLM_QUIRKS), else
// ANTHROPIC_API_KEY, else OPENAI_API_KEY. Where the file configures providers, only the two usual
// keys count, each for the provider that has none and talks to the key's owner. Any thread.

#include "worker/config/environment.hpp"
#include "worker/settings/findings.hpp"
#include "worker/settings/node.hpp"

namespace ba::settings {

void apply_llm_environment(Node& root, const Environment& environment, Findings& findings);

}  // namespace ba::settings
