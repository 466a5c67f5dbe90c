#pragma once
// SPDX-License-Identifier: Apache-2.0
// Vectors as PostgreSQL writes and reads them. Pure; any thread.

#include <string>
#include <string_view>
#include <vector>

namespace ba {

/// Reads an array of numbers as the server writes it ("{0.5,-1}") into `numbers`, which keeps its
/// memory from row to row. False: it isn't one of `dimensions` finite numbers.
bool read_stored_vector(std::string_view text, int dimensions, std::vector<double>& numbers);

/// As pgvector reads it: "[0.5,-1]".
std::string pgvector_text(const std::vector<double>& numbers);

}  // namespace ba
