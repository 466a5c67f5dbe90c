#pragma once
// SPDX-License-Identifier: Apache-2.0
// What can be configured of the tool `vector_search`, section `tools.vector_search`: who turns a
// text into a vector, and which tables of which data sources are searched. Values.

#include <cstdint>
#include <string>
#include <vector>

#include "pipeline/base/enum_names.hpp"
#include "pipeline/base/setting_problem.hpp"
#include "worker/tools/http_service/service_config.hpp"
#include "worker/tools/sql/sql_config.hpp"

namespace ba::settings {
class SectionReader;
}  // namespace ba::settings

namespace ba::vector {

namespace vector_bounds {
inline constexpr Bounds kDimensions{1, 16'000};  // what pgvector can store
inline constexpr Bounds kResultsMax{1, 100};
}  // namespace vector_bounds

/// How near two vectors are. Of each, the score is greater the nearer they are.
enum class VectorDistance {
  Cosine,        ///< score: the cosine of the angle, -1 to 1
  L2,            ///< score: 1 / (1 + the distance), 0 to 1
  InnerProduct,  ///< score: the inner product
};
inline constexpr EnumNames<VectorDistance, 3> kVectorDistanceNames{
    {{VectorDistance::Cosine, "cosine"},
     {VectorDistance::L2, "l2"},
     {VectorDistance::InnerProduct, "inner_product"}}};

/// A table of texts with their vectors.
struct VectorIndexConfig {
  std::string name;         ///< [a-z][a-z0-9_]{0,62}; what the model calls it
  std::string description;  ///< for the model: what is in it
  std::string data_source;  ///< one of tools.data_sources
  std::string table;        ///< "passages" (of schema public) or "kb.passages"
  std::string id_column = "id";
  std::string text_column = "text";
  std::string embedding_column = "embedding";  ///< real[], double precision[] or pgvector's vector
  std::string tenant_column;                   ///< rows of the calling tenant only
  bool shared_by_tenants = false;              ///< in the place of a tenant_column: all see all
  std::vector<std::string> metadata_columns;
  VectorDistance distance = VectorDistance::Cosine;
  int rows_max = 10'000;  ///< that an exact search compares; more: it is refused
  std::int64_t read_bytes_max = 256LL << 20;  ///< that an exact search reads; more: it is refused
  int results_max = 50;
  int text_chars_max = 2000;

  friend bool operator==(const VectorIndexConfig&, const VectorIndexConfig&) = default;
};

/// base_url is that of /embeddings; timeout is of a whole search.
struct VectorSearchConfig : http_service::ServiceConfig {
  std::string model;
  int dimensions = 0;  ///< of each vector of the model
  std::vector<VectorIndexConfig> indexes;

  friend bool operator==(const VectorSearchConfig&, const VectorSearchConfig&) = default;
};

/// `tools`: the section around it.
void read_vector_search(settings::SectionReader& tools, VectorSearchConfig& search);

/// What is wrong, but for the bounds of single numbers. Empty: all is well. Of a tool that is off
/// (no base_url), its indexes are looked at.
std::vector<SettingProblem> validate(const VectorSearchConfig& config,
                                     const std::vector<sql::DataSourceConfig>& sources);

}  // namespace ba::vector
