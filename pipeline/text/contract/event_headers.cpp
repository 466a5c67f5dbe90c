// SPDX-License-Identifier: Apache-2.0
#include "pipeline/text/contract/event_headers.hpp"

#include <algorithm>

#include "pipeline/text/contract/result_id.hpp"

namespace ba {
namespace {

bool lower_hex(std::string_view text) {
  return text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

bool all_zero(std::string_view text) {
  return text.find_first_not_of('0') == std::string_view::npos;
}

}  // namespace

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

bool valid_traceparent(std::string_view text) {
  constexpr std::size_t kLength = 55;  // 2-32-16-2
  if (text.size() < kLength || text.size() > 256) return false;
  const std::string_view version = text.substr(0, 2);
  if (!lower_hex(version) || version == "ff") return false;
  if (text.size() > kLength && (version == "00" || text[kLength] != '-')) return false;
  const std::string_view trace = text.substr(3, 32);
  const std::string_view parent = text.substr(36, 16);
  const bool dashes = text[2] == '-' && text[35] == '-' && text[52] == '-';
  return dashes && lower_hex(trace) && lower_hex(parent) && lower_hex(text.substr(53, 2)) &&
         !all_zero(trace) && !all_zero(parent) && valid_tracestate(text);
}

bool valid_tracestate(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c >= 0x20 && c <= 0x7e; });
}

}  // namespace ba
