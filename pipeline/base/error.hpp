#pragma once
// SPDX-License-Identifier: Apache-2.0
// The one error value of the program. Operational failures travel as Result<T>; an adapter maps its
// library's codes to an Error in one table, and whoever decides about it adds context once.
// Values: copy and move freely between threads.

#include <boost/system/result.hpp>
#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace ba {

/// What kind of failure it is, by what the caller can do next.
enum class ErrorCode {
  InvalidArgument,   ///< the input is wrong: the same call fails again
  NotFound,          ///< the named thing does not exist
  Conflict,          ///< it exists already or changed meanwhile
  Fenced,            ///< this incarnation (or producer) is dead: stop everything it owns
  Unavailable,       ///< a dependency is down or unreachable
  Timeout,           ///< no answer in time: the outcome is unknown
  Cancelled,         ///< we cancelled it ourselves
  LimitExceeded,     ///< a named limit was reached
  RateLimited,       ///< the other side asks to slow down
  Overloaded,        ///< the other side is overloaded
  PermissionDenied,  ///< not allowed
  Authentication,    ///< the credentials are wrong
  Protocol,          ///< the other side answered something it should not
  Corrupt,           ///< stored data cannot be read
  Internal,          ///< a bug on our side
};

/// The snake_case name of a code, as it stands in logs, topics and tables.
std::string_view to_string(ErrorCode code);

/// Whether the same call may be tried again.
enum class Retry { Never, Later };

struct Error {
  ErrorCode code = ErrorCode::Internal;
  Retry retry = Retry::Never;
  std::string message;  ///< names the thing, the value, and what would be right; never a secret
  std::string detail;   ///< the library's or provider's own code, for example "40001" or "529"
  std::optional<std::chrono::milliseconds> retry_after;  ///< what the other side asked for
  bool maybe_done = false;  ///< the request may have taken effect although no answer came

  friend bool operator==(const Error&, const Error&) = default;
};

template <typename T>
using Result = boost::system::result<T, Error>;

/// Called by Result<T>::value() when there is no value: that is a bug of the caller.
[[noreturn]] void throw_exception_from_error(const Error& error,
                                             const boost::source_location& location);

Error make_error(ErrorCode code, std::string message, Retry retry = Retry::Never);

Error invalid_argument(std::string message);

/// How an asynchronous port answers: it calls the completion exactly once, on the executor that
/// owns the caller (the control thread), never from inside the call that started the work. A
/// completion that is destroyed without a call is a bug of the adapter.
template <typename T>
using Completion = std::function<void(Result<T>)>;

}  // namespace ba
