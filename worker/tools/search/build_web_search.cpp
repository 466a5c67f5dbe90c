// SPDX-License-Identifier: Apache-2.0
#include "worker/tools/search/build_web_search.hpp"

#include <memory>
#include <utility>

#include "worker/tools/search/search_request.hpp"
#include "worker/tools/search/web_search.hpp"

namespace ba {

ToolMaker web_search_maker(const WebSearchConfig& config, HttpClient* http, Executor& executor) {
  ToolMaker maker;
  maker.name = "web_search";
  maker.configured = !config.base_url.empty();
  maker.setting = "tools.web_search.base_url";
  maker.make = [config, http,
                &executor](const ToolMaker::Adjust& adjust) -> Result<std::unique_ptr<Tool>> {
    std::unique_ptr<HttpEndpoint> endpoint;
    if (http != nullptr) {
      auto opened = http->open(search_endpoint(config));
      if (!opened) return opened.error();
      endpoint = std::move(*opened);
    }
    auto tool = std::make_unique<WebSearch>(config, std::move(endpoint), executor);
    adjust(tool->descriptor());
    return std::unique_ptr<Tool>(std::move(tool));
  };
  return maker;
}

}  // namespace ba
