// SPDX-License-Identifier: Apache-2.0
#include "worker/tools/search/search_tools.hpp"

#include <utility>

#include "worker/tools/search/search_request.hpp"
#include "worker/tools/search/web_search.hpp"
#include "worker/tools/search/web_search_config.hpp"

namespace ba::search {
namespace {

std::vector<tools::ToolMaker> makers(const tools::ToolsConfig& tools, const tools::ToolBasis&) {
  const auto& config = tools.of<WebSearchConfig>();
  tools::ToolMaker maker{"web_search", "tools.web_search.base_url", !config.base_url.empty(), {}};
  maker.artifacts = tools::ArtifactRole::Makes;
  maker.make = [config](const tools::ToolMaking& making) -> Result<tools::MadeTool> {
    std::unique_ptr<http::HttpEndpoint> endpoint;
    if (making.ports.http != nullptr) {
      auto opened = making.ports.http->open(search_endpoint(config));
      if (!opened) return opened.error();
      endpoint = std::move(*opened);
    }
    return std::make_unique<WebSearch>(config, std::move(endpoint), making.ports.executor);
  };
  return {std::move(maker)};
}

}  // namespace

tools::ToolFamily search_tools() {
  return {
      .read =
          [](settings::SectionReader& tools, tools::ToolsConfig& config) {
            read_web_search(tools, config.of<WebSearchConfig>());
          },
      .check =
          [](const tools::ToolsConfig& config) { return validate(config.of<WebSearchConfig>()); },
      .makers = makers};
}

}  // namespace ba::search
