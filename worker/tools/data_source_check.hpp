#pragma once
// SPDX-License-Identifier: Apache-2.0
// Looks at a data source from outside a job: at start (what tables does a model get to know) and in
// `doctor` (is the login role as harmless as it should be). Blocks up to connect_timeout and a few
// seconds; any thread.

#include <string>
#include <vector>

#include "pipeline/base/error.hpp"
#include "worker/tools/pg_connection.hpp"
#include "worker/tools/tools_config.hpp"

namespace ba {

struct DataSourceFacts {
  int server_major = 0;
  bool superuser = false;
  std::string protection;  ///< "encrypted (TLS), certificate and host name verified"
  /// Each a right that a reader does not need: "may write public.sales and 1 more: REVOKE …".
  std::vector<std::string> excess_rights;
  /// One line per table: "airlines(carrier text, name text) -- comment". Cut at a limit, with a
  /// last line that says so. Only what the role may read; system schemas are left out.
  std::string tables;
};

/// The error of a data source, by its name, from what its connection says.
Error data_source_error(const SqlFailure& failure, const std::string& source);

/// Unavailable when it can't be reached, Authentication when it refuses the login, InvalidArgument
/// when the URL can't be read. Messages hold neither the URL nor the user.
Result<DataSourceFacts> inspect(const DataSourceConfig& source);

/// Lines for a log or a person; empty when all is as it should be. A version of the server other
/// than the parser's (sql_guard.hpp) is one of them.
std::vector<std::string> warnings_about(const DataSourceConfig& source,
                                        const DataSourceFacts& facts);

/// What a data source that is configured for writing lacks, each a line for a log or a person;
/// empty when all is as it should be. Errors as inspect() has them; a superuser is InvalidArgument.
Result<std::vector<std::string>> lacks_for_writing(const WriteSourceConfig& source);

}  // namespace ba
