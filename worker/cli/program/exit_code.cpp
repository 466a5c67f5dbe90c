// SPDX-License-Identifier: Apache-2.0
#include "worker/cli/program/exit_code.hpp"

namespace ba {

int exit_code_of(const Error& error) {
  if (error.detail == kConfigurationDetail) return kExitConfiguration;
  if (error.detail == kUsageDetail) return kExitUsage;
  switch (error.code) {
    case ErrorCode::Unavailable:
      return kExitUnavailable;
    case ErrorCode::Timeout:
    case ErrorCode::RateLimited:
    case ErrorCode::Overloaded:
      return kExitTemporary;
    case ErrorCode::Authentication:
    case ErrorCode::PermissionDenied:
      return kExitConfiguration;
    default:
      return error.retry == Retry::Later ? kExitTemporary : kExitFailed;
  }
}

int exit_code_of_start(const Error& error) {
  // Conflict: a schema that isn't migrated is as wrong as topics that are missing.
  if (error.code == ErrorCode::InvalidArgument || error.code == ErrorCode::NotFound ||
      error.code == ErrorCode::Conflict)
    return kExitConfiguration;
  return exit_code_of(error);
}

}  // namespace ba
