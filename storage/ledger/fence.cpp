// SPDX-License-Identifier: Apache-2.0
#include "storage/ledger/fence.hpp"

namespace ba {
namespace {

constexpr Statement kFence{"fence", R"sql(
  SELECT 1 FROM incarnations
  WHERE id = $1 AND state = 'alive' AND lease_until > clock_timestamp()
  FOR KEY SHARE)sql"};

constexpr Statement kFenceAlone{"fence_alone", R"sql(
  SELECT 1 FROM incarnations
  WHERE id = $1 AND state = 'alive' AND lease_until > clock_timestamp()
  FOR UPDATE)sql"};

}  // namespace

Error fenced(IncarnationId incarnation) {
  Error error;
  error.code = ErrorCode::Fenced;
  error.message = "incarnation " + std::to_string(incarnation.value) +
                  " is dead: its lease ran out or it was reaped";
  return error;
}

Result<void> fence(Transaction& transaction, IncarnationId incarnation) {
  if (transaction.run(kFence, incarnation.value).empty()) return fenced(incarnation);
  return {};
}

Result<void> fence_alone(Transaction& transaction, IncarnationId incarnation) {
  if (transaction.run(kFenceAlone, incarnation.value).empty()) return fenced(incarnation);
  return {};
}

}  // namespace ba
