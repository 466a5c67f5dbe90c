#pragma once
// SPDX-License-Identifier: Apache-2.0
// Section `context`: what becomes of a conversation that is too long for its model's window.

#include "pipeline/core/context/compression_rules.hpp"

namespace ba {

namespace settings {
class SectionReader;
}

void read_context(settings::SectionReader& in, CompressionRules& rules);

}  // namespace ba
