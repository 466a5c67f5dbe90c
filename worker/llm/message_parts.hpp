#pragma once
// SPDX-License-Identifier: Apache-2.0
// What all protocols do with messages. Pure functions.

#include <string>
#include <string_view>
#include <vector>

#include "pipeline/base/error.hpp"
#include "pipeline/text/message/message.hpp"
#include "worker/llm/llm_config.hpp"

namespace ba {

/// What a provider's own replies carry must be an array of `what`, to go back to it.
Result<void> check_extras(const std::vector<const Message*>& messages,
                          const ProviderConfig& provider, std::string_view what);

/// Behind an empty line, where both say something.
void add_paragraph(std::string& text, std::string_view more);

}  // namespace ba
