// SPDX-License-Identifier: Apache-2.0
#include "worker/config/vector_search_section.hpp"

#include "worker/config/service_section.hpp"

namespace ba {
namespace {

using settings::SectionReader;
namespace bounds = vector_bounds;

void read_index(SectionReader& in, VectorIndexConfig& index) {
  in.text("name", index.name);
  in.text("description", index.description);
  in.text("data_source", index.data_source);
  in.text("table", index.table);
  in.text("id_column", index.id_column);
  in.text("text_column", index.text_column);
  in.text("embedding_column", index.embedding_column);
  in.text("tenant_column", index.tenant_column);
  in.boolean("shared_by_tenants", index.shared_by_tenants);
  in.texts("metadata_columns", index.metadata_columns);
  in.choice("distance", index.distance, kVectorDistanceNames);
  in.number("rows_max", index.rows_max, bounds::kRowsMax);
  in.number("read_bytes_max", index.read_bytes_max, bounds::kReadBytesMax);
  in.number("results_max", index.results_max, bounds::kResultsMax);
  in.number("text_chars_max", index.text_chars_max, bounds::kTextCharsMax);
}

}  // namespace

void read_vector_search(SectionReader& tools, VectorSearchConfig& search) {
  tools.section("vector_search", [&](SectionReader& in) {
    settings::read_service(in, search);
    in.text("model", search.model);
    in.number("dimensions", search.dimensions, {0, bounds::kDimensions.most});
    in.list("indexes",
            [&](SectionReader& inner) { read_index(inner, search.indexes.emplace_back()); });
  });
}

}  // namespace ba
