#pragma once
// SPDX-License-Identifier: Apache-2.0
// A PostgreSQL URL or connection string (keyword=value) as a setting, without connecting. What
// these functions answer never holds a part of what may be a password. Pure; any thread.

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ba::storage {

/// Why it can't be used, with the remedy, and none of its text; none when it can. A URL is read by
/// rules stricter than libpq's (pg_url.hpp); ports, sslmode and its like are checked, too, which
/// libpq does only when it connects. Whoever connects asks this first.
std::optional<std::string> conninfo_problem(const std::string& url);

/// What may be shown of it: `mask` stands for its password, or for all that follows the scheme
/// where it can't be read cleanly.
std::string shown_conninfo(const std::string& url, std::string_view mask);

/// "host:port/database" of what it names, with libpq's defaults; empty when it can't be read.
std::string conninfo_target(const std::string& url);

/// The value of one of libpq's keywords, as it is or libpq's default; empty where there is none.
std::string conninfo_value(const std::string& url, std::string_view keyword);

/// The same connection as keyword=value, with these settings where it has no own; the text itself
/// when it can't be read.
std::string conninfo_with(const std::string& url,
                          const std::vector<std::pair<std::string, std::string>>& settings);

}  // namespace ba::storage
