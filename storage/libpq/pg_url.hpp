#pragma once
// SPDX-License-Identifier: Apache-2.0
// A PostgreSQL URL by rules stricter than libpq's, which takes what isn't escaped in a password for
// a port, a host or a database. What is read here has one reading only, so its parts but the
// password may be shown. Pure; any thread.

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ba::storage {

/// How the special characters of a user, a password or a database are written.
inline constexpr const char* kPercentEncoding =
    "in its user, password and database / is written %2F, ? %3F, # %23, @ %40, : %3A, % %25 and a "
    "space %20";

struct PgUrl {
  std::string scheme;               ///< "postgresql://" or "postgres://"
  std::optional<std::string> user;  ///< none: nobody logs in by the URL
  bool has_password = false;        ///< which is kept nowhere
  std::string hosts;                ///< "a:5432,b", as written
  std::optional<std::string> database;
  std::vector<std::pair<std::string, std::string>> parameters;  ///< values as written
};

/// Either is set.
struct PgUrlReading {
  std::optional<PgUrl> url;
  std::string problem;  ///< with the remedy; holds nothing of the text
};

bool is_pg_url(std::string_view text);

/// Of a text that is_pg_url(). Names of parameters are not looked up.
PgUrlReading read_pg_url(std::string_view text);

}  // namespace ba::storage
