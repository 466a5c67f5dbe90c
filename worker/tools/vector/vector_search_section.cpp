// SPDX-License-Identifier: Apache-2.0
#include "worker/tools/vector/vector_search_section.hpp"

#include "worker/tools/http_service/service_section.hpp"

namespace ba {
namespace {

using settings::SectionReader;

void read_index(SectionReader& in, VectorIndexConfig& index) {
  in.read("name", index.name);
  in.read("description", index.description);
  in.read("data_source", index.data_source);
  in.read("table", index.table);
  in.read("id_column", index.id_column);
  in.read("text_column", index.text_column);
  in.read("embedding_column", index.embedding_column);
  in.read("tenant_column", index.tenant_column);
  in.read("shared_by_tenants", index.shared_by_tenants);
  in.read("metadata_columns", index.metadata_columns);
  in.read("distance", index.distance, kVectorDistanceNames);
  in.read("rows_max", index.rows_max, {1, 1'000'000});
  in.read("read_bytes_max", index.read_bytes_max, {64 * 1024, 4LL << 30});
  in.read("results_max", index.results_max, vector_bounds::kResultsMax);
  in.read("text_chars_max", index.text_chars_max, {1, 100'000});
}

}  // namespace

void read_vector_search(SectionReader& tools, VectorSearchConfig& search) {
  tools.section("vector_search", [&](SectionReader& in) {
    settings::read_service(in, search);
    in.read("model", search.model);
    in.read("dimensions", search.dimensions, {0, vector_bounds::kDimensions.most});
    in.list("indexes",
            [&](SectionReader& inner) { read_index(inner, search.indexes.emplace_back()); });
  });
}

}  // namespace ba
