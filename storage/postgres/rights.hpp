#pragma once
// SPDX-License-Identifier: Apache-2.0
// What a role may do in the ledger, as the server says it. Used inside a transaction, which only
// reads the catalog, so that it works with hardly any right.

#include <optional>
#include <vector>

#include "storage/access.hpp"
#include "storage/postgres/session.hpp"

namespace ba::storage {

/// The session takes no writes.
std::optional<Hindrance> read_only_hindrance(Transaction& transaction);

/// Of a worker, apart from that.
std::vector<Hindrance> worker_hindrances(Transaction& transaction, const std::string& schema);

/// Of who applies migrations, apart from that.
std::optional<Hindrance> migration_hindrance(Transaction& transaction, const std::string& schema);

/// Of who wants to know the schema's version.
std::optional<Hindrance> history_hindrance(Transaction& transaction, const std::string& schema);

Error to_error(const Hindrance& hindrance);

}  // namespace ba::storage
