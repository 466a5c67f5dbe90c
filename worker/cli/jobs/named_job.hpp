#pragma once
// SPDX-License-Identifier: Apache-2.0
// Which job the command line means by an id: commands take TENANT/JOB, too, as others print it. A
// tenant has no '/', an id may. Blocking; any thread.

#include <string>

#include "storage/control.hpp"

namespace ba {

/// With a tenant, `text` is the id. Without one it is an id of tenant "default" or, if that has no
/// such job, TENANT/JOB where there is one. Conflict if both are there: guessing could cancel the
/// wrong one. Looks at the schema (check_ledger()), but not before the text can be an id.
Result<JobName> named_job(const PgAccess& access, const std::string& text,
                          const std::string& tenant);

}  // namespace ba
