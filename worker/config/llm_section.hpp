#pragma once
// SPDX-License-Identifier: Apache-2.0
// Section `llm` into the model adapters' own configuration. A function over values of
// its caller; any thread.

#include "worker/llm/llm_config.hpp"

namespace ba {

namespace settings {
class SectionReader;
}

/// The only model is the default model where none is named.
void read_llm(settings::SectionReader& in, LlmConfig& llm);

}  // namespace ba
