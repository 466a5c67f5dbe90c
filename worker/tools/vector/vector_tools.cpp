// SPDX-License-Identifier: Apache-2.0
#include "worker/tools/vector/vector_tools.hpp"

#include <utility>

#include "worker/tools/vector/embedding.hpp"
#include "worker/tools/vector/vector_search.hpp"
#include "worker/tools/vector/vector_search_config.hpp"

namespace ba {
namespace {

std::vector<ToolMaker> makers(const ToolsConfig& tools, const ToolBasis&) {
  const auto& config = tools.of<VectorSearchConfig>();
  const auto& sources = tools.of<SqlConfig>().data_sources;
  ToolMaker maker{"vector_search", "tools.vector_search", !config.base_url.empty(), {}};
  maker.artifacts = ArtifactRole::Makes;
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
  return {std::move(maker)};
}

/// A search of an index is a statement at its data source.
void limit(const ToolsConfig& config, GateTable& gates) {
  for (const VectorIndexConfig& index : config.of<VectorSearchConfig>().indexes)
    for (const DataSourceConfig& source : config.of<SqlConfig>().data_sources)
      if (source.name == index.data_source)
        gates["vector_search/" + index.name].calls_per_minute = source.calls_per_minute;
}

std::vector<ToolSource> sources(const ToolsConfig& config) {
  std::vector<ToolSource> all;
  for (const VectorIndexConfig& index : config.of<VectorSearchConfig>().indexes)
    all.push_back(
        {.named = "index:" + index.name, .data_source = index.data_source, .inside = true});
  return all;
}

}  // namespace

ToolFamily vector_tools() {
  return {.read =
              [](settings::SectionReader& tools, ToolsConfig& config) {
                read_vector_search(tools, config.of<VectorSearchConfig>());
              },
          .check =
              [](const ToolsConfig& config) {
                return validate(config.of<VectorSearchConfig>(),
                                config.of<SqlConfig>().data_sources);
              },
          .limit = limit,
          .sources = sources,
          .makers = makers};
}

}  // namespace ba
