#pragma once
// SPDX-License-Identifier: Apache-2.0
// How near a stored vector is to that of a query, as a score that is greater the nearer it is.
// Pure; any thread.

#include <optional>
#include <vector>

#include "worker/tools/vector/vector_search_config.hpp"

namespace ba {

/// Both of the same length and finite. None: there is no such score (the cosine of a vector of
/// zeros, a sum beyond what a number can hold).
std::optional<double> score_of(VectorDistance distance, const std::vector<double>& query,
                               const std::vector<double>& stored);

/// Of what pgvector's operator for this distance gives. None: it isn't finite.
std::optional<double> score_of_operator(VectorDistance distance, double value);

}  // namespace ba
