// SPDX-License-Identifier: Apache-2.0
#include "worker/tools/vector/vector_tools.hpp"

#include <utility>

#include "worker/tools/vector/embedding.hpp"
#include "worker/tools/vector/vector_search.hpp"

namespace ba {

std::vector<ToolMaker> vector_tools(const VectorSearchConfig& config,
                                    const std::vector<DataSourceConfig>& sources) {
  ToolMaker maker{"vector_search", "tools.vector_search", !config.base_url.empty(), {}};
  maker.make = [config, sources](const ToolMaking& making) -> Result<MadeTool> {
    std::unique_ptr<HttpEndpoint> endpoint;
    if (making.ports.http != nullptr) {
      auto opened = making.ports.http->open(embedding_endpoint(config));
      if (!opened) return opened.error();
      endpoint = std::move(*opened);
    }
    return std::make_unique<VectorSearch>(config, sources, std::move(endpoint),
                                          making.ports.executor);
  };
  return {maker};
}

}  // namespace ba
