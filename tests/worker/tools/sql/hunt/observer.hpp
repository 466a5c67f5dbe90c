#pragma once
// SPDX-License-Identifier: Apache-2.0
// Runs what a judge allows, each statement in a transaction that is rolled back: as the tool's
// role, for what it lets one learn, and as a superuser, whom no right stops, for what it does. Then
// looks for what a rollback doesn't take back. One thread.

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tests/worker/tools/sql/hunt/judge.hpp"
#include "tests/worker/tools/sql/hunt/onlooker_session.hpp"
#include "tests/worker/tools/sql/hunt/stage.hpp"

namespace ba::hunt {

class Observer {
 public:
  Observer(const Stage& stage, const std::string& database);

  /// What stays when transactions are gone, by kind.
  using Traces = std::map<std::string, std::string>;
  Traces look();
  /// What differs, and how.
  static std::string difference(const Traces& before, const Traces& after);

  /// Runs it; what was wrong at once (it wrote, locked or told what it must not), none: nothing.
  /// A statement of the kind that writes may write the tables that the rules name.
  std::optional<std::string> run(const std::string& sql, bool writes);

  /// What sessions would keep from one statement to the next, then new sessions, once the server
  /// has counted what the old ones did.
  std::string renew();

  /// The process whose end would be noticed.
  int victim() const { return victim_.backend(); }

 private:
  Answer answer_of(Session& session, const std::string& sql, bool writes);
  std::optional<std::string> learnt(const std::string& sql, bool writes);
  std::optional<std::string> told_of_hidden_rows(Session& session, const std::string& sql);
  std::optional<std::string> done(const std::string& sql, bool writes);
  std::string reached(bool writes);
  std::string kept(Session& session);
  void open_victim();
  void wait_until_alone();

  Session watcher_;
  Session victim_;
  Session reader_;
  Session writer_;
  Session doer_;                 ///< the superuser
  std::string settings_;         ///< and what else sessions keep
  std::string settings_in_use_;  ///< by the superuser
};

}  // namespace ba::hunt
