#pragma once
// SPDX-License-Identifier: Apache-2.0
// The answer of a search API as the tool's result: [{"title","url","snippet","published"?}], with a
// note where there are more. Pure; any thread.

#include <string>

#include "pipeline/core/tool/tool.hpp"
#include "worker/tools/search/web_search_config.hpp"

namespace ba {

/// At most `results_max` of the results, and a note where the answer has more. A result without a
/// URL is left out; a title or a snippet that is none is "". Anything that isn't what the
/// configuration says is an error. `body` may be of any bytes.
RawToolResult search_answer(std::string body, const WebSearchConfig& config, int results_max);

}  // namespace ba
