#pragma once
// SPDX-License-Identifier: Apache-2.0
// The one table from HTTP statuses, and the error types that stand for them inside a stream, to
// Error. Pure functions.

#include <string>
#include <string_view>

#include "pipeline/base/error.hpp"

namespace ba {

/// What a provider says about a failure, in the words of its own API.
struct ProviderFailure {
  int status = 0;       ///< HTTP status, or the one that belongs to `type` inside a stream
  std::string type;     ///< "overloaded_error", "insufficient_quota"
  std::string code;     ///< a finer code, where there is one
  std::string message;  ///< cut to a readable length
};

/// `detail` is "<status> <type>". Never retried: client errors, and a 429 whose code says that the
/// money is spent.
Error error_of(const ProviderFailure& failure);

/// The HTTP status an error type stands for; 500 for an unknown one.
int status_of_error_type(std::string_view type);

/// Cuts a foreign text for an error message: one line, at most 300 bytes, whole code points.
std::string readable(std::string_view text);

}  // namespace ba
