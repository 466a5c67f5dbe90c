// SPDX-License-Identifier: Apache-2.0
#include "worker/cli/doctor/postgres_remedy.hpp"

#include "storage/libpq/connect_failure.hpp"

namespace ba {

std::string postgres_remedy(const Error& error, const std::string& setting) {
  if (error.detail == kTlsDetail)
    return "mend what the message names; sslmode, sslrootcert, sslcert and sslkey stand in " +
           setting;
  switch (error.code) {
    case ErrorCode::Authentication:
      return "correct the role or its password in " + setting +
             ", or let the role in (pg_hba.conf)";
    case ErrorCode::PermissionDenied:
      return "grant the role of " + setting + " what the message names, or give another role";
    case ErrorCode::NotFound:
      return "create what the message names, or correct " + setting;
    case ErrorCode::InvalidArgument:
      return "correct " + setting;
    case ErrorCode::Unavailable:
    case ErrorCode::Timeout:
      return "start the server, or correct " + setting;
    default:
      return "see the server's log, or correct " + setting;
  }
}

}  // namespace ba
