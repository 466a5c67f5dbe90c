// SPDX-License-Identifier: Apache-2.0
// The .sql files against the schema of this program, on whatever server this runs.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "storage/all_statements.hpp"
#include "tests/support/scratch_schema.hpp"

namespace ba::storage {
namespace {

// As many nulls as a prepared statement has parameters.
constexpr const char* kNulls =
    "SELECT coalesce('(' || string_agg('NULL', ', ') || ')', '') FROM pg_prepared_statements,"
    " unnest(parameter_types) WHERE name = '";

class Statements : public testing::TestWithParam<sql::StatementFile> {
 protected:
  ScratchSchema schema_;
};

// As the hot path plans them: once, whatever the parameters are. Servers before 16 have no
// EXPLAIN (GENERIC_PLAN).
TEST_P(Statements, TheServerPlansIt) {
  const std::string name = GetParam().statement->name;
  schema_.execute("SET plan_cache_mode = force_generic_plan");
  schema_.execute("PREPARE " + name + " AS " + GetParam().statement->sql);
  const std::string nulls = schema_.query(kNulls + name + "'");
  EXPECT_THAT(schema_.query("EXPLAIN EXECUTE " + name + nulls), testing::HasSubstr("cost="));
  schema_.execute("DEALLOCATE " + name + "; RESET plan_cache_mode");
}

INSTANTIATE_TEST_SUITE_P(Files, Statements, testing::ValuesIn(sql::kAll),
                         [](const auto& file) { return std::string(file.param.statement->name); });

}  // namespace
}  // namespace ba::storage
