// SPDX-License-Identifier: Apache-2.0
#include "worker/tools/sql/sql_calls.hpp"

#include <nlohmann/json.hpp>

namespace ba::sql {

std::string sql_call_schema(const std::vector<std::string>& sources, std::string_view about,
                            std::optional<int> row_limit) {
  using Json = nlohmann::ordered_json;
  Json data_source = {{"type", "string"}, {"description", "Which database."}};
  Json required = {"sql"};
  if (!sources.empty()) data_source["enum"] = sources;
  if (sources.size() == 1) data_source["default"] = sources[0];
  if (sources.size() > 1) required.push_back("data_source");
  Json properties = {
      {"sql",
       {{"type", "string"}, {"minLength", 1}, {"description", about}, {"x-semantic", "sql"}}},
      {"data_source", data_source}};
  if (row_limit)
    properties["limit"] = {{"type", "integer"},
                           {"minimum", 1},
                           {"maximum", *row_limit},
                           {"description", "At most this many rows of the result."}};
  return tools::call_schema(std::move(properties), std::move(required));
}

ToolError sql_refusal(const Error& error) {
  const bool forbidden = error.code == ErrorCode::PermissionDenied;
  return {forbidden ? ToolErrorType::PermissionDenied : ToolErrorType::InvalidParameters,
          error.detail, error.message};
}

}  // namespace ba::sql
