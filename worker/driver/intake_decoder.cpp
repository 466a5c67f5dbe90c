// SPDX-License-Identifier: Apache-2.0
#include "worker/driver/intake_decoder.hpp"

#include "pipeline/text/contract/dead_letter.hpp"
#include "pipeline/text/contract/decode_job.hpp"
#include "pipeline/text/contract/encode_job.hpp"

namespace ba::driver {
namespace {

/// Of a record that the ledger would not have. At the second time nothing of what the record or the
/// server said stands in a text, and its headers, which are kept as one, are left out.
DeadLetter refused_letter(RecordView record, const LedgerRefusal& refusal,
                          const Publication& publication) {
  const Headers none;
  DeadLetterReason reason{"LEDGER_REFUSED", "", "the ledger refuses it: " + refusal.message};
  if (!refusal.of_letter) return make_dead_letter(record, std::move(reason), publication);
  reason.message = "the ledger refuses it, and its headers, which are left out";
  return make_dead_letter({record.key, record.value, none, record.source, record.no_value},
                          std::move(reason), publication);
}

}  // namespace

DecodeRecord make_intake_decoder(JobContractLimits limits, Publication publication,
                                 JobTopics topics) {
  return [limits, publication = std::move(publication),
          topics = std::move(topics)](RawRecord record) -> IntakeRecord {
    const RecordView view{record.key, record.value, record.headers, record.source, record.no_value};
    if (record.refusal) return refused_letter(view, *record.refusal, publication);
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

}  // namespace ba::driver
