#pragma once
// SPDX-License-Identifier: Apache-2.0
// `web_search`, for build_tools(). Any thread.

#include <vector>

#include "worker/tools/base/tool_maker.hpp"
#include "worker/tools/search/web_search_config.hpp"

namespace ba {

std::vector<ToolMaker> search_tools(const WebSearchConfig& config);

}  // namespace ba
