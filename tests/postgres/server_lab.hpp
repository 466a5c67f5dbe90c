#pragma once
// SPDX-License-Identifier: Apache-2.0
// A server whose administrator the tests are (BA_POSTGRES_ADMIN_URL): databases and roles of their
// own, which go with the test. One thread.

#include <memory>
#include <string>
#include <vector>

#include "storage/storage.hpp"

namespace ba {

class ServerLab {
 public:
  ServerLab();
  ~ServerLab();
  ServerLab(const ServerLab&) = delete;
  ServerLab& operator=(const ServerLab&) = delete;

  /// A fresh database of this name; `options` of CREATE DATABASE.
  std::string database(const std::string& name, const std::string& options = "");
  /// A role that may log in, with a password of its own; `options` of CREATE ROLE.
  void role(const std::string& name, const std::string& options = "");
  /// A role that run() makes, which goes with the test, too.
  void keep(const std::string& name) { roles_.push_back(name); }
  /// As administrator. Throws what the server says.
  std::string run(const std::string& database, const std::string& sql);

  /// The ledger of this database as this role has it; empty: as the administrator.
  storage::PgAccess access(const std::string& database, const std::string& role = "") const;

 private:
  struct Connection;
  std::unique_ptr<Connection> connection_;  ///< of the last database asked
  std::vector<std::string> databases_;
  std::vector<std::string> roles_;
};

}  // namespace ba
