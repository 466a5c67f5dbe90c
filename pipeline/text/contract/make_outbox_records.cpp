// SPDX-License-Identifier: Apache-2.0
#include "pipeline/text/contract/make_outbox_records.hpp"

#include "pipeline/base/assert.hpp"
#include "pipeline/text/contract/encode_metrics.hpp"
#include "pipeline/text/contract/encode_result.hpp"
#include "pipeline/text/contract/event_headers.hpp"
#include "pipeline/text/contract/result_id.hpp"

namespace ba {

FinishedRecords make_outbox_records(const Job& job, const JobResult& result,
                                    const ConversationReport& report,
                                    const Publication& publication) {
  BA_ASSERT(result.result_id == result_id(job.tenant, job.job_id, kResultKind));
  FinishedRecords records;
  records.result_bytes = encode_result(result, publication.encoding);
  records.metrics_json = encode_metrics(job, report, Encoding::Json);

  OutboxRecord record;
  record.result_id = result.result_id;
  record.shard = shard_of(job.tenant, job.job_id, publication.outbox_shards);
  record.topic = publication.results_topic;
  record.key = result_key(job.tenant, job.job_id);
  record.value = records.result_bytes;
  record.headers = event_headers({record.result_id.value, kResultEventType, result.finished_at},
                                 job, publication);
  records.outbox.push_back(record);

  record.result_id = result_id(job.tenant, job.job_id, kMetricsKind);
  record.topic = publication.metrics_topic;
  record.value = publication.encoding == Encoding::Json
                     ? records.metrics_json
                     : encode_metrics(job, report, publication.encoding);
  record.headers = event_headers({record.result_id.value, kMetricsEventType, result.finished_at},
                                 job, publication);
  records.outbox.push_back(std::move(record));
  return records;
}

}  // namespace ba
