// SPDX-License-Identifier: Apache-2.0
#include "pipeline/base/error.hpp"

#include <stdexcept>

namespace ba {

std::string_view to_string(ErrorCode code) {
  switch (code) {
    case ErrorCode::InvalidArgument:
      return "invalid_argument";
    case ErrorCode::NotFound:
      return "not_found";
    case ErrorCode::Conflict:
      return "conflict";
    case ErrorCode::Fenced:
      return "fenced";
    case ErrorCode::Unavailable:
      return "unavailable";
    case ErrorCode::Timeout:
      return "timeout";
    case ErrorCode::Cancelled:
      return "cancelled";
    case ErrorCode::LimitExceeded:
      return "limit_exceeded";
    case ErrorCode::RateLimited:
      return "rate_limited";
    case ErrorCode::Overloaded:
      return "overloaded";
    case ErrorCode::PermissionDenied:
      return "permission_denied";
    case ErrorCode::Authentication:
      return "authentication";
    case ErrorCode::Protocol:
      return "protocol";
    case ErrorCode::Corrupt:
      return "corrupt";
    case ErrorCode::Internal:
      return "internal";
  }
  return "internal";
}

void throw_exception_from_error(const Error& error, const boost::source_location& location) {
  throw std::logic_error(std::string("value() of a failed result at ") + location.file_name() +
                         ":" + std::to_string(location.line()) + ": " +
                         std::string(to_string(error.code)) + ": " + error.message);
}

Error error_of(ErrorCode code, std::string message) {
  Error error;
  error.code = code;
  error.message = std::move(message);
  return error;
}

}  // namespace ba
