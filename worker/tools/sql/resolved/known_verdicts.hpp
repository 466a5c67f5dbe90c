#pragma once
// SPDX-License-Identifier: Apache-2.0
// Verdicts on statements that a connection has prepared, the newest hundred of them, and which of
// its prepared statements are to go. Owned by a StatementJudge and used by its thread.

#include <chrono>
#include <list>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "worker/tools/sql/resolved/statement_verdict.hpp"

namespace ba {

class KnownVerdicts {
 public:
  using Clock = std::chrono::steady_clock;

  struct Known {
    std::string name;  ///< of the prepared statement
    Refusal refused;
    bool not_cacheable = false;
    bool holds_back = false;
    Clock::time_point judged{};
    /// The server's snapshot before it was judged: it holds as long as that is the same, so as long
    /// as no transaction that writes has ended. Empty: the server itself watches over all
    /// that the verdict depends on.
    std::string moment = {};
  };

  /// For a new connection, which has prepared nothing.
  void clear();

  std::optional<Known> find(const std::string& key) const;
  /// The oldest goes where there are too many.
  void remember(const std::string& key, Known known);
  void forget(const std::string& key);
  void forget_all();

  /// A name that no other prepared statement of the connection has.
  std::string new_name() { return "ba_statement_" + std::to_string(++names_); }
  /// What was prepared as `name` is not needed any more.
  void drop(const std::string& name) { dropped_.push_back(name); }
  /// What was dropped since the last call.
  std::vector<std::string> take_dropped();

 private:
  std::unordered_map<std::string, Known> known_;
  std::list<std::string> order_;  ///< keys of known_, the oldest first
  std::vector<std::string> dropped_;
  std::size_t names_ = 0;
};

}  // namespace ba
