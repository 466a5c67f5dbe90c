// SPDX-License-Identifier: Apache-2.0
#include "worker/config/vector_search_section.hpp"

#include "worker/config/section_reader.hpp"

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

void read_service(SectionReader& in, VectorSearchConfig& search) {
  in.text("base_url", search.base_url);
  in.text("model", search.model);
  in.number("dimensions", search.dimensions, {0, bounds::kDimensions.most});
  std::string key;
  in.secret("api_key", key);
  search.api_key = Secret(std::move(key));
  in.milliseconds("timeout_ms", search.timeout, bounds::kTimeoutMs);
  in.milliseconds("connect_timeout_ms", search.connect_timeout, bounds::kConnectTimeoutMs);
  in.number("response_bytes_max", search.response_bytes_max, bounds::kResponseBytesMax);
  in.number("concurrency_max", search.concurrency_max, bounds::kConcurrencyMax);
  in.text("proxy", search.proxy);
  in.text("ca_file", search.ca_file);
}

}  // namespace

void read_vector_search(SectionReader& tools, VectorSearchConfig& search) {
  tools.section("vector_search", [&](SectionReader& in) {
    read_service(in, search);
    in.list("indexes",
            [&](SectionReader& inner) { read_index(inner, search.indexes.emplace_back()); });
  });
}

}  // namespace ba
