#pragma once
// SPDX-License-Identifier: Apache-2.0
// The databases of the evidence on the scratch server, made from the scripts in data/. Any thread
// once made.

#include <memory>
#include <string>

#include "tests/worker/tools/sql/hunt/judge.hpp"
#include "tests/worker/tools/sql/hunt/scratch_server.hpp"
#include "worker/tools/sql/sql_config.hpp"

namespace ba::hunt {

class Stage {
 public:
  Stage();

  /// The analysts' tables, with other people's objects beside them.
  inline static const std::string kAnalysts = "analysts";
  /// The analysts' tables, with the objects of attacks.
  inline static const std::string kAttacks = "attacks";

  std::string admin(const std::string& database) const { return server_.url("admin", database); }
  std::string reader(const std::string& database) const { return server_.url("reader", database); }
  std::string writer(const std::string& database) const { return server_.url("writer", database); }

  /// The tables that may be written there.
  sql::WriteRules rules(const std::string& database) const;

  MakeJudge reads(const std::string& database) const;
  MakeJudge writes(const std::string& database) const;

 private:
  void make(const std::string& database, const std::string& script) const;

  ScratchServer server_;  ///< of the folder BA_HUNT_POSTGRES_BIN, where it is set
};

/// One for the whole program.
Stage& stage();

}  // namespace ba::hunt
