// SPDX-License-Identifier: Apache-2.0
#include "worker/cli/jobs/earlier_job.hpp"

#include "pipeline/text/contract/encode_job.hpp"
#include "worker/cli/program/wording.hpp"

namespace ba {
namespace {

/// But for what each sending has of its own: its time and its headers.
bool same_content(Job sent, const std::string& stored_payload) {
  const auto stored = decode_job_payload(stored_payload);
  if (!stored) return false;
  sent.created_at = stored->created_at;
  sent.traceparent = stored->traceparent;
  sent.tracestate = stored->tracestate;
  sent.source_event_id = stored->source_event_id;
  sent.correlation_id = stored->correlation_id;
  return sent == *stored;
}

bool same_place(const RecordSource& one, const RecordSource& other) {
  return one.topic == other.topic && one.partition == other.partition && one.offset == other.offset;
}

}  // namespace

EarlierJob earlier_job(const Job& sent, const RecordSource& place, const JobTimeline& found) {
  if (same_place(place, found.source)) return EarlierJob::None;
  return same_content(sent, found.payload) ? EarlierJob::SameContent : EarlierJob::OtherContent;
}

std::string earlier_job_text(EarlierJob earlier, const JobTimeline& found) {
  const std::string name = found.job.tenant.value + "/" + found.job.job_id.value;
  const std::string since = clock_text(found.job.received_at) + " UTC";
  if (earlier == EarlierJob::SameContent)
    return name + " is known since " + since +
           ", with the same content: it is not run again, its one result is shown";
  return name + " is known since " + since +
         ", with other content: what was submitted now was NOT run, the result shown is the "
         "earlier "
         "job's; give another --job-id to run it";
}

}  // namespace ba
