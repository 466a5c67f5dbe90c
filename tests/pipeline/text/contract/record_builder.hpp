#pragma once
// SPDX-License-Identifier: Apache-2.0
// Records and jobs for the tests of contract/.

#include <string>

#include "ba/v1/analysis_job.pb.h"
#include "pipeline/text/contract/decode_job.hpp"

namespace ba::test {

struct TestRecord {
  std::string value;
  Headers headers;
  JobContractLimits limits;
  RecordSource source{"ba.jobs", "", 3, 42, 1'700'000'000'123};

  DecodedRecord decode() const {
    return decode_job({std::nullopt, value, headers, source}, limits);
  }

  /// The job; a test failure with the reason when there is none.
  Job job() const {
    const DecodedRecord decoded = decode();
    if (const auto* reason = std::get_if<DeadLetterReason>(&decoded))
      throw std::runtime_error(reason->reason.text() + " " + reason->field + " " + reason->message);
    return std::get<Job>(decoded);
  }

  /// "REASON field", or "" for a job.
  std::string reason() const {
    const DecodedRecord decoded = decode();
    const auto* reason = std::get_if<DeadLetterReason>(&decoded);
    if (reason == nullptr) return "";
    const std::string code = reason->reason.text();
    return reason->field.empty() ? code : code + " " + reason->field;
  }
};

inline v1::AnalysisJob minimal_job() {
  v1::AnalysisJob job;
  job.set_tenant("acme");
  job.set_job_id("j-1");
  job.add_messages("How many flights?");
  return job;
}

inline TestRecord record_of(const v1::AnalysisJob& job) {
  TestRecord record;
  record.value = job.SerializeAsString();
  return record;
}

inline TestRecord json_record(const std::string& json) {
  TestRecord record;
  record.value = json;
  return record;
}

/// A JSON job with further members: R"("lane":"high")".
inline std::string json_job(const std::string& members) {
  return R"({"tenant":"acme","job_id":"j-1","messages":["How many flights?"])" +
         (members.empty() ? "" : "," + members) + "}";
}

}  // namespace ba::test
