// SPDX-License-Identifier: Apache-2.0
#include "tests/postgres/server_lab.hpp"

#include <cstdlib>
#include <stdexcept>
#include "storage/postgres/rows.hpp"

namespace ba {
namespace {

std::string admin_url() {
  const char* url = std::getenv("BA_POSTGRES_ADMIN_URL");
  if (url == nullptr)
    throw std::runtime_error("BA_POSTGRES_ADMIN_URL is not set: tests/postgres/run");
  return url;
}

/// postgresql://user:password@host:port/database, with other parts.
std::string url_of(const std::string& login, const std::string& database) {
  const std::string admin = admin_url();
  const std::string server = admin.substr(admin.find('@'), admin.rfind('/') - admin.find('@'));
  const std::string own = admin.substr(0, admin.find('@'));
  return (login.empty() ? own : "postgresql://" + login) + server + "/" + database;
}

}  // namespace

struct ServerLab::Connection {
  explicit Connection(const std::string& to) : database(to), open(url_of("", to)) {}
  std::string database;
  storage::Connection open;
};

ServerLab::ServerLab() = default;

ServerLab::~ServerLab() {
  for (const std::string& name : databases_)
    run("postgres", "DROP DATABASE " + name + " WITH (FORCE)");
  for (const std::string& name : roles_) run("postgres", "DROP ROLE IF EXISTS " + name);
}

std::string ServerLab::database(const std::string& name, const std::string& options) {
  run("postgres", "CREATE DATABASE " + name + " " + options);
  databases_.push_back(name);
  return name;
}

void ServerLab::role(const std::string& name, const std::string& options) {
  run("postgres", "CREATE ROLE " + name + " LOGIN PASSWORD '" + name + "' " + options);
  roles_.push_back(name);
}

std::string ServerLab::run(const std::string& database, const std::string& sql) {
  if (!connection_ || connection_->database != database)
    connection_ = std::make_unique<Connection>(database);
  return storage::Rows("plain", connection_->open.execute(sql)).value();
}

storage::PgAccess ServerLab::access(const std::string& database, const std::string& role) const {
  storage::PgAccess access;
  access.url = url_of(role.empty() ? "" : role + ":" + role, database);
  return access;
}

}  // namespace ba
