#pragma once
// SPDX-License-Identifier: Apache-2.0
// One connection to the scratch server, for those who look on: whatever it says is kept. One
// thread.

#include <memory>
#include <string>
#include <vector>

struct pg_conn;
struct pg_result;

namespace ba::hunt {

struct Answer {
  std::vector<std::vector<std::string>> rows;  ///< of the last statement; null is "∅"
  std::string error;                           ///< all that the server says; empty: none
  std::string sqlstate;

  bool ok() const { return error.empty(); }
  bool same_as(const Answer& other) const { return rows == other.rows && error == other.error; }
  /// Whether a text stands anywhere in it.
  bool tells(const std::string& text) const;
};

class Session {
 public:
  /// Throws std::runtime_error where no connection comes about, now or when it is made again.
  explicit Session(std::string url);

  /// Statements of our own (simple protocol).
  Answer script(const std::string& sql);
  /// One statement (extended protocol).
  Answer statement(const std::string& sql);
  /// Whether the server can make sense of a statement, which isn't run.
  Answer prepare(const std::string& sql);
  /// As script(); throws std::runtime_error where it fails.
  Answer need(const std::string& sql);

  void reconnect();
  void reset();  ///< closes; reconnect() comes next
  bool alive() const;
  int backend() const;  ///< process id

 private:
  static void notice(void* self, const char* message);
  Answer taken(pg_result* result);

  std::string url_;
  std::unique_ptr<pg_conn, void (*)(pg_conn*)> connection_;
  std::string notices_;
};

}  // namespace ba::hunt
