// SPDX-License-Identifier: Apache-2.0
#include "worker/driver/intake_decoder.hpp"

#include "pipeline/contract/dead_letter.hpp"
#include "pipeline/contract/decode_job.hpp"
#include "pipeline/contract/encode_job.hpp"

namespace ba {

DecodeRecord make_intake_decoder(JobContractLimits limits, Publication publication,
                                 JobTopics topics) {
  return [limits, publication = std::move(publication),
          topics = std::move(topics)](RawRecord record) -> IntakeRecord {
    const RecordView view{record.key, record.value, record.headers, record.source, record.no_value};
    const auto lane = lane_of_topic(topics, record.source.topic);
    DecodedRecord decoded = decode_job(view, limits, lane.value_or(Lane::Normal));
    if (auto* reason = std::get_if<DeadLetterReason>(&decoded))
      return make_dead_letter(view, std::move(*reason), publication);
    IntakeJob job;
    job.job = std::move(std::get<Job>(decoded));
    job.payload = encode_job(job.job);
    job.source = std::move(record.source);
    return job;
  };
}

}  // namespace ba
