#pragma once
// SPDX-License-Identifier: Apache-2.0
// A PostgreSQL URL or connection string as libpq reads it, without connecting. What these functions
// answer never holds a password. Pure; any thread.

#include <optional>
#include <string>

namespace ba {

/// Why libpq can't read it, in libpq's words but without what they quote; none when it can. Ports
/// are checked, too, which libpq does only when it connects.
std::optional<std::string> conninfo_problem(const std::string& url);

/// "host:port/database" of what it names, with libpq's defaults; empty when it can't be read.
std::string conninfo_target(const std::string& url);

}  // namespace ba
