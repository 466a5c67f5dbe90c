// SPDX-License-Identifier: Apache-2.0
#include "worker/tools/search/search_tools.hpp"

#include <utility>

#include "worker/tools/search/search_request.hpp"
#include "worker/tools/search/web_search.hpp"

namespace ba {

std::vector<ToolMaker> search_tools(const WebSearchConfig& config) {
  ToolMaker maker{"web_search", "tools.web_search.base_url", !config.base_url.empty(), {}};
  maker.make = [config](const ToolMaking& making) -> Result<MadeTool> {
    std::unique_ptr<HttpEndpoint> endpoint;
    if (making.ports.http != nullptr) {
      auto opened = making.ports.http->open(search_endpoint(config));
      if (!opened) return opened.error();
      endpoint = std::move(*opened);
    }
    return std::make_unique<WebSearch>(config, std::move(endpoint), making.ports.executor);
  };
  return {maker};
}

}  // namespace ba
