#pragma once
// SPDX-License-Identifier: Apache-2.0
// Which server libpq's account of a failure speaks of: it tries several hosts, and each address of
// a name, one after the other. Pure; any thread.

#include <optional>
#include <string>
#include <string_view>

namespace ba::storage {

struct FailedServer {
  std::string host;     ///< what its certificate should be for; may be an address, too
  std::string address;  ///< that was connected to, in numbers
  std::string port;

  friend bool operator==(const FailedServer&, const FailedServer&) = default;
};

/// The one whose attempt ended with `words`. None where the account names none in this way, as for
/// a local socket. `url` is what was connected to.
std::optional<FailedServer> server_that_failed(std::string_view account, std::string_view words,
                                               const std::string& url);

/// What a TLS handshake names as the server that is meant (SNI), by libpq's rule: no address.
std::string name_for_handshake(const FailedServer& server, const std::string& url);

}  // namespace ba::storage
