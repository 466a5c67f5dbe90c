#pragma once
// SPDX-License-Identifier: Apache-2.0
// What dashboards go on counting of jobs that retention removes: sums by tenant and day, added in
// the very transaction that removes them, so each is counted once whatever happens. One thread.

#include "storage/postgres/array_parameter.hpp"
#include "storage/postgres/session.hpp"

namespace ba {

/// `jobs` have ended, still have all their rows, and are removed by this transaction.
void keep_sums(Transaction& transaction, const BigintArray& jobs);

}  // namespace ba
