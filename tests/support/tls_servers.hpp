#pragma once
// SPDX-License-Identifier: Apache-2.0
// Real servers with certificates good and bad (tls_servers.py), for the life of this object. Throws
// where they can't be started. One thread.

#include <map>
#include <string>

#include "tests/support/temporary_directory.hpp"

namespace ba {

class TlsServers {
 public:
  TlsServers();
  ~TlsServers();
  TlsServers(const TlsServers&) = delete;
  TlsServers& operator=(const TlsServers&) = delete;

  /// Of "postgres-good", "https-expired", "proxy", …
  std::string port(const std::string& name) const { return ports_.at(name); }

  /// A file that the servers' maker left: "ca.crt", "client.key", …
  std::string file(const std::string& name) const { return (directory_.path() / name).string(); }

 private:
  TemporaryDirectory directory_;
  std::map<std::string, std::string> ports_;
  int process_ = 0;
  int input_ = -1;
};

}  // namespace ba
