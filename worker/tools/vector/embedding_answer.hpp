#pragma once
// SPDX-License-Identifier: Apache-2.0
// The answer of an embeddings service as a vector: data[0].embedding, a list of numbers or, in
// base64, little-endian floats of four bytes. Pure; any thread.

#include <string_view>
#include <vector>

#include "pipeline/base/error.hpp"

namespace ba {

/// As many finite numbers as `dimensions` says, not all of them 0. Protocol otherwise: its message
/// follows "the embeddings service's answer". `body` may be of any bytes.
Result<std::vector<double>> embedding_answer(std::string_view body, int dimensions);

}  // namespace ba
