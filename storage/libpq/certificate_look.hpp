#pragma once
// SPDX-License-Identifier: Apache-2.0
// Why a PostgreSQL server's certificate isn't trusted: libpq says that it isn't, OpenSSL knows why.
// Asks the server for TLS and looks, sends no login. Blocks up to `timeout`; any thread.

#include <chrono>
#include <string>

namespace ba {

/// "its certificate has expired", "…": for a message, with the file and the remedy. Empty where
/// the server can't be asked or its certificate is in order.
std::string certificate_look(const std::string& url, std::chrono::milliseconds timeout);

}  // namespace ba
