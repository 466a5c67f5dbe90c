#pragma once
// SPDX-License-Identifier: Apache-2.0
// Between the wire form of a job and the core's. Pure functions; part of contract/.

#include "ba/v1/analysis_job.pb.h"
#include "pipeline/text/contract/decode_job.hpp"

namespace ba {

inline constexpr int kJobSchemaVersion = 1;

/// Checks every field against the contract and fills in defaults.
DecodedRecord job_from_proto(const v1::AnalysisJob& proto, const JobContractLimits& limits);

/// The job's fields as they are; nothing is checked.
Job unchecked_job(const v1::AnalysisJob& proto);

v1::AnalysisJob proto_from_job(const Job& job);

}  // namespace ba
