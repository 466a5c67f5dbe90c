#pragma once
// SPDX-License-Identifier: Apache-2.0
// What to do about a PostgreSQL server that couldn't be asked, by the kind of the failure. Pure.

#include <string>

#include "pipeline/base/error.hpp"

namespace ba {

/// `setting` is the key that holds its address: "postgres.url".
std::string postgres_remedy(const Error& error, const std::string& setting);

}  // namespace ba
