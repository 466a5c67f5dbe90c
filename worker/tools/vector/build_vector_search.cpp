// SPDX-License-Identifier: Apache-2.0
#include "worker/tools/vector/build_vector_search.hpp"

#include <memory>
#include <utility>

#include "worker/tools/vector/embedding_request.hpp"
#include "worker/tools/vector/vector_search.hpp"

namespace ba {

ToolMaker vector_search_maker(const VectorSearchConfig& config,
                              const std::vector<DataSourceConfig>& sources, HttpClient* http,
                              Executor& executor) {
  ToolMaker maker;
  maker.name = "vector_search";
  maker.configured = !config.base_url.empty();
  maker.setting = "tools.vector_search";
  maker.make = [config, sources, http,
                &executor](const ToolMaker::Adjust& adjust) -> Result<std::unique_ptr<Tool>> {
    std::unique_ptr<HttpEndpoint> endpoint;
    if (http != nullptr) {
      auto opened = http->open(embedding_endpoint(config));
      if (!opened) return opened.error();
      endpoint = std::move(*opened);
    }
    auto tool = std::make_unique<VectorSearch>(config, sources, std::move(endpoint), executor);
    adjust(tool->descriptor());
    return std::unique_ptr<Tool>(std::move(tool));
  };
  return maker;
}

}  // namespace ba
