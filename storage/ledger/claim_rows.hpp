#pragma once
// SPDX-License-Identifier: Apache-2.0
// Claiming jobs inside a fenced transaction: which jobs come next, and the answer with all that the
// incarnation owns.

#include "pipeline/core/ledger/claim_records.hpp"
#include "storage/postgres/session.hpp"

namespace ba::storage {

/// May fail with a unique violation when another worker claims of the same conversation at the same
/// moment: see is_claim_race().
ClaimAnswer claim_jobs(Transaction& transaction, IncarnationId self, const ClaimRequest& request);

/// Whether two claims met in one conversation; the transaction is then repeated.
bool is_claim_race(const Error& error);

}  // namespace ba::storage
