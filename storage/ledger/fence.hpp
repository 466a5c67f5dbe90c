#pragma once
// SPDX-License-Identifier: Apache-2.0
// The fence: proves within a transaction that an incarnation is alive and keeps it so until the
// transaction ends. Renewing a lease does not conflict with the lock, reaping does.

#include "pipeline/base/ids.hpp"
#include "storage/postgres/session.hpp"

namespace ba {

Error fenced(IncarnationId incarnation);

/// Fenced when the incarnation is dead, or its lease has run out though nobody noticed yet.
Result<void> fence(Transaction& transaction, IncarnationId incarnation);

/// The same, and waits for every other transaction of this incarnation: for what takes jobs away
/// from it, so that none of its writes can come after that.
Result<void> fence_alone(Transaction& transaction, IncarnationId incarnation);

}  // namespace ba
