// SPDX-License-Identifier: Apache-2.0
#include "worker/tools/vector/vector_tools.hpp"

#include <utility>

#include "worker/tools/vector/embedding.hpp"
#include "worker/tools/vector/vector_search.hpp"
#include "worker/tools/vector/vector_search_config.hpp"

namespace ba::vector {
namespace {

std::vector<tools::ToolMaker> makers(const tools::ToolsConfig& tools, const tools::ToolBasis&) {
  const auto& config = tools.of<VectorSearchConfig>();
  const auto& sources = tools.of<sql::SqlConfig>().data_sources;
  tools::ToolMaker maker{"vector_search", "tools.vector_search", !config.base_url.empty(), {}};
  maker.artifacts = tools::ArtifactRole::Makes;
  maker.make = [config, sources](const tools::ToolMaking& making) -> Result<tools::MadeTool> {
    std::unique_ptr<http::HttpEndpoint> endpoint;
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
void limit(const tools::ToolsConfig& config, GateTable& gates) {
  for (const VectorIndexConfig& index : config.of<VectorSearchConfig>().indexes)
    for (const sql::DataSourceConfig& source : config.of<sql::SqlConfig>().data_sources)
      if (source.name == index.data_source)
        gates["vector_search/" + index.name].calls_per_minute = source.calls_per_minute;
}

std::vector<tools::ToolSource> sources(const tools::ToolsConfig& config) {
  std::vector<tools::ToolSource> all;
  for (const VectorIndexConfig& index : config.of<VectorSearchConfig>().indexes)
    all.push_back(
        {.named = "index:" + index.name, .data_source = index.data_source, .inside = true});
  return all;
}

}  // namespace

tools::ToolFamily vector_tools() {
  return {.read =
              [](settings::SectionReader& tools, tools::ToolsConfig& config) {
                read_vector_search(tools, config.of<VectorSearchConfig>());
              },
          .check =
              [](const tools::ToolsConfig& config) {
                return validate(config.of<VectorSearchConfig>(),
                                config.of<sql::SqlConfig>().data_sources);
              },
          .limit = limit,
          .sources = sources,
          .makers = makers};
}

}  // namespace ba::vector
