#pragma once
// SPDX-License-Identifier: Apache-2.0
// Why a PostgreSQL server's certificate isn't trusted: libpq says that it isn't, OpenSSL knows why.
// Asks the server for TLS as libpq did and looks, sends no login. All of it, whatever the server
// does, takes no longer than `timeout`, and no name is looked up. Blocks; any thread.

#include <chrono>
#include <string>
#include <string_view>

namespace ba::storage {

/// "the server's certificate has expired …": for a message, with the file and the remedy. `account`
/// is what libpq said of the attempt to connect to `url`. Empty where the server can't be asked or
/// its certificate is in order.
std::string certificate_look(std::string_view account, const std::string& url,
                             std::chrono::milliseconds timeout);

}  // namespace ba::storage
