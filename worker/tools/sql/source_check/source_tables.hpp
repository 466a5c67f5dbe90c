#pragma once
// SPDX-License-Identifier: Apache-2.0
// What a model is told of a data source's tables. Pure; any thread.

#include <string>
#include <vector>

namespace ba {

/// In SQL, without parameters: a line for each table that the role which asks may read,
/// "airlines(carrier text, name text) -- comment".
extern const char* const kTablesQuestion;

/// These lines as one text, cut at a limit, with a last line that says so.
std::string listing_of(const std::vector<std::string>& tables);

}  // namespace ba
