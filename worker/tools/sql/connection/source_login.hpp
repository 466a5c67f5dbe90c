#pragma once
// SPDX-License-Identifier: Apache-2.0
// The one way into a data source, for whatever runs statements there. Blocks; any thread.

#include <optional>
#include <string>

#include "worker/tools/sql/connection/pg_connection.hpp"
#include "worker/tools/sql/connection/session_settings.hpp"
#include "worker/tools/sql/connection/source_tenancy.hpp"

namespace ba {

struct SourceLogin {
  const std::string& url;
  const SourceTenancy& tenancy;
  Milliseconds timeout;
};

/// Connects, asks what the session starts with, and refuses superusers, as login or as a tenant's
/// role. After a failure the connection is closed.
std::optional<SqlFailure> log_in(PgConnection& connection, const SourceLogin& login,
                                 const Cancellation& cancellation, SessionFacts& facts);

}  // namespace ba
