#pragma once
// SPDX-License-Identifier: Apache-2.0
// Looks at a data source from outside a job: at start (what tables does a model get to know) and in
// `doctor` (is the login role as harmless as it should be). Blocks up to connect_timeout and a few
// seconds; any thread.

#include <string>
#include <vector>

#include "pipeline/base/error.hpp"
#include "worker/tools/sql/connection/pg_connection.hpp"
#include "worker/tools/sql/connection/source_tenancy.hpp"
#include "worker/tools/sql/sql_config.hpp"

namespace ba::sql {

struct DataSourceFacts {
  int server_major = 0;
  bool superuser = false;
  std::string protection;  ///< "encrypted (TLS), certificate and host name verified"
  /// What makes the statements of all or of a tenant fail: a role that can't be taken.
  std::vector<SourceHindrance> hindrances;
  /// Each a right that a reader does not need: "may write public.sales and 1 more: REVOKE …".
  std::vector<std::string> excess_rights;
  /// Each a setting of tenants that nothing asks for: "tenant_setting app.tenant changes nothing…".
  std::vector<std::string> idle_settings;
  /// One line per table: "airlines(carrier text, name text) -- comment". Cut at a limit, with a
  /// last line that says so. Only what the role may read; system schemas are left out.
  std::string tables;
};

struct WriteSourceFacts {
  std::vector<std::string> lacks;          ///< each a line, with what mends it
  std::vector<std::string> idle_settings;  ///< as of DataSourceFacts
};

/// The error of a data source, by its name, from what its connection says. A login that is refused
/// is told with its role: for an operator, not for a model.
Error data_source_error(const SqlFailure& failure, const std::string& source,
                        const std::string& url);

/// Unavailable when it can't be reached, Authentication when it refuses the login, InvalidArgument
/// when the URL can't be read. Messages hold neither the URL nor a password.
Result<DataSourceFacts> inspect(const DataSourceConfig& source);

/// "PostgreSQL 17 (statements are read by the grammar of 15), encrypted (TLS), …".
std::string statement_about(const DataSourceFacts& facts);

/// Each a line, without the source's name; empty when all is as it should be.
std::vector<std::string> findings_about(const DataSourceFacts& facts);

/// The same as lines for a log, each with the source's name.
std::vector<std::string> warnings_about(const DataSourceConfig& source,
                                        const DataSourceFacts& facts);

/// Of a data source that is configured for writing. Errors as above; a superuser is
/// InvalidArgument.
Result<WriteSourceFacts> inspect_writing(const WriteSourceConfig& source);

/// What it lacks, each a line for a log, with the source's name; empty when all is as it should be.
Result<std::vector<std::string>> lacks_for_writing(const WriteSourceConfig& source);

}  // namespace ba::sql
