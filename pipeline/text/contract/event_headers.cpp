// SPDX-License-Identifier: Apache-2.0
#include "pipeline/text/contract/event_headers.hpp"

#include "pipeline/text/contract/result_id.hpp"

namespace ba {

Headers event_headers(const EventAttributes& event, const Job& job,
                      const Publication& publication) {
  Headers headers = {{"ce_specversion", "1.0"},
                     {"ce_id", event.id},
                     {"ce_source", publication.source},
                     {"ce_type", event.type},
                     {"ce_time", to_rfc3339(event.time)},
                     {"ce_subject", result_key(job.tenant, job.job_id)},
                     {"content-type", std::string(media_type(publication.encoding))}};
  const auto add = [&headers](const char* name, const std::string& value) {
    if (!value.empty()) headers.emplace_back(name, value);
  };
  add("ce_correlationid", job.correlation_id);
  add("ce_causationid", job.source_event_id);
  add("traceparent", job.traceparent);
  add("tracestate", job.tracestate);
  return headers;
}

}  // namespace ba
