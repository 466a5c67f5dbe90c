#pragma once
// SPDX-License-Identifier: Apache-2.0
// The rows of skills: what deltas say of them, collected over many deltas and written with one
// statement per table (again: changes nothing), and what of them a job is resumed from. One thread.

#include <map>

#include "pipeline/core/ledger/delta.hpp"
#include "pipeline/core/ledger/stored_job.hpp"
#include "storage/postgres/array_parameter.hpp"
#include "storage/postgres/session.hpp"

namespace ba::storage {

class SkillRows {
 public:
  void add(const Delta& delta);
  void write(Transaction& transaction) const;

 private:
  using enum PgType;

  std::map<std::string, std::string> contents_;  ///< by hash: all writers lock them in this order
  RowArrays<Bigint, Integer, Integer, Integer, Text, Text, Text, Integer> uses_;
  RowArrays<Bigint, Integer, Integer, Integer, Integer> ends_;
  RowArrays<Bigint, Integer, Integer, Integer, Json> injected_;
};

/// In order of position. With contents: each of them once, with its first use.
std::vector<StoredSkillUse> load_skill_uses(Transaction& transaction, LedgerJobId job,
                                            bool contents);

/// Contents that no job uses any more, and that nobody is about to use.
void remove_unused_skills(Transaction& transaction);

}  // namespace ba::storage
