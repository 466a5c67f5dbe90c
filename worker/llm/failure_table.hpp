#pragma once
// SPDX-License-Identifier: Apache-2.0
// The one table from HTTP statuses, and the error types that stand for them inside a stream, to
// Error. Pure functions.

#include <optional>
#include <string>
#include <string_view>

#include "pipeline/base/error.hpp"
#include "pipeline/base/time.hpp"
#include "pipeline/core/model/model_client.hpp"

namespace ba::llm {

/// What a provider says about a failure, in the words of its own API.
struct ProviderFailure {
  int status = 0;       ///< HTTP status, or the one that belongs to `type` inside a stream
  std::string type;     ///< "overloaded_error", "insufficient_quota"
  std::string code;     ///< a finer code, where there is one
  std::string message;  ///< cut to a readable length
  std::optional<Milliseconds> wait = std::nullopt;  ///< that its body asks for
  ContextRefusal context = {};                      ///< what it says of lengths, where that is why
};

/// `detail` is "<status> <type>". Never retried: client errors, and a 429 whose code says that the
/// money is spent. A wait that the body asks for is the error's `retry_after`.
Error error_of(const ProviderFailure& failure);

/// The HTTP status that an error type, code or exception name stands for, in any letter case and
/// with any marks between its words; none: not known.
std::optional<int> status_of_error_word(std::string_view word);

/// The same of the type, else of the code; 500 where neither is known.
int status_of_error_words(const ProviderFailure& failure);

/// Cuts a foreign text for an error message: one line, at most 300 bytes, whole code points.
std::string readable(std::string_view text);

}  // namespace ba::llm
