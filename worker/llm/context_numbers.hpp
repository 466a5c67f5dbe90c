#pragma once
// SPDX-License-Identifier: Apache-2.0
// Reads from the words of a server how long a request was and what its model takes. Each server
// has its own sentence for it; what stands beside a number says what it is. Pure functions.

#include <string_view>

#include "pipeline/core/model/model_client.hpp"

namespace ba {

/// Of a message that says that a context is full. Nothing where the numbers aren't told, or in
/// words that aren't known.
ContextRefusal context_numbers(std::string_view message);

}  // namespace ba
