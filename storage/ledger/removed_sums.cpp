// SPDX-License-Identifier: Apache-2.0
#include "storage/ledger/removed_sums.hpp"

#include "storage/ledger/keep_sums_calls.sql.hpp"
#include "storage/ledger/keep_sums_jobs.sql.hpp"
#include "storage/ledger/keep_sums_replies.sql.hpp"

namespace ba {

void keep_sums(Transaction& transaction, const BigintArray& jobs) {
  for (const Statement& statement :
       {sql::kKeepSumsJobs, sql::kKeepSumsReplies, sql::kKeepSumsCalls})
    transaction.run(statement, jobs);
}

}  // namespace ba
