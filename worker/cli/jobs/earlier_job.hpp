#pragma once
// SPDX-License-Identifier: Apache-2.0
// Whether the job that the ledger shows under an id is the one that was just sent, or one that had
// the id before: then the ledger keeps the earlier one and runs nothing. Pure functions.

#include <string>

#include "storage/query.hpp"

namespace ba {

enum class EarlierJob {
  None,         ///< it is the job that was sent
  SameContent,  ///< sent before, and the same
  OtherContent
};

/// `place` is where the record of `sent` stands.
EarlierJob earlier_job(const Job& sent, const RecordSource& place, const JobTimeline& found);

/// What a person is told of it; not for None.
std::string earlier_job_text(EarlierJob earlier, const JobTimeline& found);

}  // namespace ba
