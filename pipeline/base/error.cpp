// SPDX-License-Identifier: Apache-2.0
#include "pipeline/base/error.hpp"

#include <stdexcept>

#include "pipeline/base/enum_names.hpp"

namespace ba {
namespace {

constexpr EnumNames<ErrorCode, 15> kNames{{{ErrorCode::InvalidArgument, "invalid_argument"},
                                           {ErrorCode::NotFound, "not_found"},
                                           {ErrorCode::Conflict, "conflict"},
                                           {ErrorCode::Fenced, "fenced"},
                                           {ErrorCode::Unavailable, "unavailable"},
                                           {ErrorCode::Timeout, "timeout"},
                                           {ErrorCode::Cancelled, "cancelled"},
                                           {ErrorCode::LimitExceeded, "limit_exceeded"},
                                           {ErrorCode::RateLimited, "rate_limited"},
                                           {ErrorCode::Overloaded, "overloaded"},
                                           {ErrorCode::PermissionDenied, "permission_denied"},
                                           {ErrorCode::Authentication, "authentication"},
                                           {ErrorCode::Protocol, "protocol"},
                                           {ErrorCode::Corrupt, "corrupt"},
                                           {ErrorCode::Internal, "internal"}}};

}  // namespace

std::string_view to_string(ErrorCode code) { return name_of(kNames, code); }

void throw_exception_from_error(const Error& error, const boost::source_location& location) {
  throw std::logic_error(std::string("value() of a failed result at ") + location.file_name() +
                         ":" + std::to_string(location.line()) + ": " +
                         std::string(to_string(error.code)) + ": " + error.message);
}

Error make_error(ErrorCode code, std::string message, Retry retry) {
  Error error;
  error.code = code;
  error.retry = retry;
  error.message = std::move(message);
  return error;
}

Error invalid_argument(std::string message) {
  return make_error(ErrorCode::InvalidArgument, std::move(message));
}

}  // namespace ba
