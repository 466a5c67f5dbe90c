#pragma once
// SPDX-License-Identifier: Apache-2.0
// Records on their way into and out of the outbox table. Used inside a fenced transaction.

#include <string>
#include <string_view>
#include <vector>

#include "pipeline/core/ledger/outbox_records.hpp"
#include "storage/postgres/session.hpp"

namespace ba::storage {

/// Headers as a JSON array of [name, value]; what is no storable text stands as {"hex": "…"}.
std::string headers_to_json(const Headers& headers);
/// What headers_to_json() wrote.
Headers headers_from_json(std::string_view json);

/// Inserts the records whose result id is new.
void insert_outbox(Transaction& transaction, const std::vector<const OutboxRecord*>& records);

}  // namespace ba::storage
