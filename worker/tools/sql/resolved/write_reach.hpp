#pragma once
// SPDX-License-Identifier: Apache-2.0
// What a write changes beyond its target: by foreign keys that cascade, triggers, rules, and what
// checks, indexes and generated columns compute. The server's tree has none of it; its catalog has
// all. Values and pure rules; any thread.

#include <set>
#include <string>
#include <vector>

#include "worker/tools/sql/resolved/statement_verdict.hpp"

namespace ba::sql {

/// What an operator allows a write to reach.
struct ReachRules {
  std::vector<std::string> tables;        ///< schema.name: may be written
  std::vector<std::string> also_changes;  ///< schema.name: may change by cascades; sequences too
  std::set<std::string> functions;        ///< schema.name of trigger functions
};

struct WriteReach {
  std::set<std::string> changed;   ///< tables that cascades change, as schema.name
  std::set<std::string> triggers;  ///< "trigger NAME of schema.table"
  std::set<std::string> rules;     ///< of tables that cascades change
  std::vector<std::string> dumps;  ///< stored expressions that the write computes
  std::set<Oid32> types;           ///< of columns that get a value, of users
  std::set<Oid32> called;          ///< by indexes, partitions and exclusions, of users
  std::set<Oid32> planned;    ///< tables at the ends of keys, over which the server plans checks
  std::set<Oid32> sequences;  ///< that belong to columns of the target
};

/// Asks for all that a statement with these targets reaches; ReachSink takes the answer.
extern const char* const kWriteReach;
std::vector<std::string> reach_parameters(const ResolvedStatement& statement);

class ReachSink final : public RowSink {
 public:
  explicit ReachSink(WriteReach& reach, const ReachRules& rules) : reach_(reach), rules_(rules) {}
  bool row(const Row& row) override;
  void oversize() override { complete_ = false; }
  bool complete() const { return complete_; }

 private:
  WriteReach& reach_;
  const ReachRules& rules_;
  bool complete_ = true;
};

/// Whether the statement's targets, and what they reach, are allowed.
Refusal refusal_of_reach(const StatementVerdict& verdict, const WriteReach& reach,
                         const ReachRules& rules);

/// "orders" is "public.orders".
std::string with_schema(const std::string& table);

}  // namespace ba::sql
