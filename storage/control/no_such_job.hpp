#pragma once
// SPDX-License-Identifier: Apache-2.0
// What to say of a job that isn't there, within the transaction that looked for it. One thread.

#include "storage/control.hpp"
#include "storage/postgres/session.hpp"

namespace ba::storage {

Error no_such_job(Transaction& transaction, const JobName& name);

}  // namespace ba::storage
