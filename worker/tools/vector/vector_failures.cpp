// SPDX-License-Identifier: Apache-2.0
#include "worker/tools/vector/vector_failures.hpp"

#include <utility>

#include "worker/tools/sql/connection/sql_errors.hpp"

namespace ba {
namespace {

using Type = ToolErrorType;

RawToolResult failed_with(Type type, std::string code, std::string message) {
  RawToolResult result;
  result.error = ToolError{type, std::move(code), std::move(message)};
  return result;
}

}  // namespace

RawToolResult index_misconfigured(const VectorIndexConfig& index, const std::string& what) {
  return failed_with(Type::DependencyError, "INDEX_MISCONFIGURED",
                     "The index '" + index.name + "' can't be searched: " + what +
                         ". An operator must mend it in tools.vector_search.indexes, or the table");
}

RawToolResult index_too_large(const VectorIndexConfig& index, const char* limit,
                              const std::string& value) {
  return failed_with(Type::DependencyError, "INDEX_TOO_LARGE",
                     "The index '" + index.name + "' is larger than an exact search may read (" +
                         limit + ": " + value +
                         "), and none of it was searched. An operator must "
                         "raise " +
                         limit +
                         " of it in tools.vector_search.indexes, or make its "
                         "column '" +
                         index.embedding_column + "' one of pgvector's type vector");
}

RawToolResult index_failure(const VectorIndexConfig& index, const SqlFailure& failure) {
  ToolError error = error_of(failure, index.data_source);
  // The statement is not the model's: only a person can mend what the server refuses of it.
  if (error.type == Type::InvalidParameters) error.type = Type::DependencyError;
  // Somebody else (an administrator) cancelled it.
  if (failure.sqlstate == "57014") error.type = Type::TransientError;
  if (failure.kind == SqlFailure::Kind::Server && error.code != kSourceMisconfigured)
    error.message = "The index '" + index.name + "' can't be searched: " + error.message +
                    ". If it stays so, an operator must check its table, its columns and the "
                    "rights of the login role of '" +
                    index.data_source + "'";
  RawToolResult result;
  result.error = std::move(error);
  return result;
}

}  // namespace ba
