// SPDX-License-Identifier: Apache-2.0
#include "worker/cli/doctor/check.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "storage/postgres/pg_error.hpp"

namespace ba::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(PostgresRemedy, IsStartingTheServerOnlyWhereNobodyAnswers) {
  EXPECT_THAT(postgres_remedy(storage::error_of_connection("connection refused"), "postgres.url"),
              HasSubstr("start the server, or correct postgres.url"));
  for (const char* state : {"28P01", "42501", "42P01", "42883", "3D000", "XX000"})
    EXPECT_THAT(postgres_remedy(storage::error_of_sqlstate(state, "no"), "postgres.url"),
                Not(HasSubstr("start the server")))
        << state;
}

TEST(PostgresRemedy, NamesThePasswordAndTheRights) {
  EXPECT_THAT(
      postgres_remedy(storage::error_of_connection("password authentication failed for user \"u\""),
                      "the source's url"),
      HasSubstr("its password in the source's url"));
  EXPECT_THAT(
      postgres_remedy(
          storage::error_of_sqlstate("42501", "permission denied for function set_config"), "u"),
      HasSubstr("grant the role"));
}

}  // namespace
}  // namespace ba::cli
