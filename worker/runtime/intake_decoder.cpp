// SPDX-License-Identifier: Apache-2.0
#include "worker/runtime/intake_decoder.hpp"

#include "pipeline/contract/dead_letter.hpp"
#include "pipeline/contract/decode_job.hpp"
#include "pipeline/contract/encode_job.hpp"

namespace ba {

DecodeRecord make_intake_decoder(JobContractLimits limits, Publication publication,
                                 JobTopics topics) {
  return [limits, publication = std::move(publication),
          topics = std::move(topics)](RawRecord record) -> IntakeRecord {
    const RecordView view{record.key, record.value, record.headers, record.source};
    DecodedRecord decoded = decode_job(view, limits);
    if (auto* reason = std::get_if<DeadLetterReason>(&decoded))
      return make_dead_letter(view, std::move(*reason), publication);
    IntakeJob job;
    job.job = std::move(std::get<Job>(decoded));
    // A job that names no other lane gets that of the topic it came by.
    const auto lane = lane_of_topic(topics, record.source.topic);
    if (lane && job.job.lane == Lane::Normal) job.job.lane = *lane;
    job.payload = encode_job(job.job);
    job.source = std::move(record.source);
    return job;
  };
}

}  // namespace ba
