#pragma once
// SPDX-License-Identifier: Apache-2.0
// Where a job stands, as one line. Pure functions.

#include <string>

#include "storage/query.hpp"

namespace ba {

/// "job-1 · round 1 of 2 · step 3 · query_database running · 1,234 tokens".
std::string progress_text(const JobTimeline& timeline, std::size_t messages);

/// The same for a job that isn't in the ledger yet.
std::string queued_text(const std::string& job_id);

}  // namespace ba
