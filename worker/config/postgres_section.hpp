#pragma once
// SPDX-License-Identifier: Apache-2.0
// Section `postgres` into the storage adapter's own options.

#include "storage/storage.hpp"

namespace ba {

namespace settings {
class SectionReader;
}

/// Shards of the outbox are set in section `outbox`, not here.
void read_postgres(settings::SectionReader& in, PgOptions& postgres);

}  // namespace ba
