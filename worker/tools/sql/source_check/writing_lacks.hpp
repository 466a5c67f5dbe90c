#pragma once
// SPDX-License-Identifier: Apache-2.0
// What is missing for a writer of tables. Pure; any thread.

#include <string>
#include <vector>

namespace ba {

/// In SQL, a line in each row; $1: tables_parameter(), $2: that the login role writes itself, not a
/// tenant's.
extern const char* const kLacksQuestion;

/// ["public.\"orders\""] with each part quoted for PostgreSQL.
std::string tables_parameter(const std::vector<std::string>& tables);

}  // namespace ba
