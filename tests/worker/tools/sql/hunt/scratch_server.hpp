#pragma once
// SPDX-License-Identifier: Apache-2.0
// A PostgreSQL server of the test's own, in a folder that nobody else reaches, by its socket alone:
// statements that may do anything are run on it by its superuser. It ends with the program, however
// that ends. Owned by main or a test's environment; any thread may ask for a URL.

#include <sys/types.h>

#include <string>

namespace ba::hunt {

class ScratchServer {
 public:
  /// Throws std::runtime_error where none can be made. `bin`: the folder of initdb and postgres.
  explicit ScratchServer(const std::string& bin);
  ~ScratchServer();
  ScratchServer(const ScratchServer&) = delete;
  ScratchServer& operator=(const ScratchServer&) = delete;

  /// Of a role that needs no password. The superuser is kAdmin.
  std::string url(const std::string& role, const std::string& database) const;

  inline static const std::string kAdmin = "admin";

 private:
  void create(const std::string& bin) const;
  void start(const std::string& bin);
  void wait_until_it_answers() const;

  std::string folder_;
  pid_t process_ = -1;
};

}  // namespace ba::hunt
