// SPDX-License-Identifier: Apache-2.0
#include "pipeline/text/contract/encode_job.hpp"

#include "pipeline/text/contract/job_mapping.hpp"
#include "pipeline/text/contract/proto_json.hpp"
#include "pipeline/text/contract/proto_value.hpp"

namespace ba {

std::string encode_job(const Job& job) { return canonical_bytes(proto_from_job(job)); }

Result<Job> decode_job_payload(std::string_view bytes) {
  v1::AnalysisJob proto;
  if (!proto.ParseFromArray(bytes.data(), static_cast<int>(bytes.size())))
    return make_error(ErrorCode::Corrupt, "its " + std::to_string(bytes.size()) +
                                              " bytes are no AnalysisJob message (protobuf)");

  return unchecked_job(proto);
}

std::string job_to_json(const Job& job) { return write_proto_json(proto_from_job(job)); }

}  // namespace ba
