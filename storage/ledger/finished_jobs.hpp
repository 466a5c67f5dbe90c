#pragma once
// SPDX-License-Identifier: Apache-2.0
// The end of jobs whose rows say so: their attempts, and what their conversations used. One thread.

#include "storage/postgres/array_parameter.hpp"
#include "storage/postgres/session.hpp"

namespace ba {

/// Reads what the transaction has written of the jobs.
void close_finished(Transaction& transaction, const BigintArray& jobs);

}  // namespace ba
