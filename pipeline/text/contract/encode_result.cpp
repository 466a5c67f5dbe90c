// SPDX-License-Identifier: Apache-2.0
#include "pipeline/text/contract/encode_result.hpp"

#include <algorithm>
#include <vector>

#include "ba/v1/analysis_result.pb.h"
#include "pipeline/text/contract/proto_json.hpp"
#include "pipeline/text/contract/proto_value.hpp"
#include "pipeline/text/message/utf8.hpp"

namespace ba {
namespace {

v1::AnalysisResult proto_from_result(const JobResult& result) {
  v1::AnalysisResult proto;
  proto.set_schema_version(result.schema_version);
  proto.set_result_id(result.result_id.value);
  proto.set_tenant(result.tenant.value);
  proto.set_job_id(result.job_id.value);
  proto.set_conversation_id(result.conversation_id.value);
  proto.set_outcome(std::string(to_string(result.outcome)));
  for (const Answer& answer : result.answers) {
    v1::Answer& added = *proto.add_answers();
    added.set_round(answer.round);
    added.set_text(answer.text);
  }
  if (result.error) {
    proto.mutable_error()->set_type(result.error->type);
    proto.mutable_error()->set_code(result.error->code);
    proto.mutable_error()->set_message(result.error->message);
  }
  const JobTotals& totals = result.totals;
  set_usage(*proto.mutable_usage(), totals.usage);
  proto.set_cost_micro_usd(totals.cost_micro_usd);
  proto.set_cost_incomplete(!totals.cost_known);
  proto.set_rounds(totals.rounds);
  proto.set_steps(totals.steps);
  proto.set_tool_calls(totals.tool_calls);
  proto.set_tool_calls_failed(totals.tool_calls_failed);
  proto.set_wasted_model_calls(totals.wasted_model_calls);
  proto.set_attempts(result.attempts);
  set_time(*proto.mutable_created_at(), result.created_at);
  set_time(*proto.mutable_started_at(), result.started_at);
  set_time(*proto.mutable_finished_at(), result.finished_at);
  proto.mutable_metadata()->insert(result.metadata.begin(), result.metadata.end());
  proto.set_model(result.model);
  proto.set_worker_version(result.worker_version);
  return proto;
}

JobTotals totals_of(const v1::AnalysisResult& proto) {
  JobTotals totals;
  totals.usage = usage_of(proto.usage());
  totals.cost_micro_usd = proto.cost_micro_usd();
  totals.cost_known = !proto.cost_incomplete();
  totals.rounds = proto.rounds();
  totals.steps = proto.steps();
  totals.tool_calls = proto.tool_calls();
  totals.tool_calls_failed = proto.tool_calls_failed();
  totals.wasted_model_calls = proto.wasted_model_calls();
  return totals;
}

JobResult result_of(const v1::AnalysisResult& proto, Outcome outcome) {
  JobResult result;
  result.result_id = ResultId(proto.result_id());
  result.tenant = TenantId(proto.tenant());
  result.job_id = JobId(proto.job_id());
  result.conversation_id = ConversationId(proto.conversation_id());
  result.outcome = outcome;
  for (const v1::Answer& answer : proto.answers())
    result.answers.push_back({answer.round(), answer.text()});
  if (proto.has_error())
    result.error = JobError{proto.error().type(), proto.error().code(), proto.error().message()};
  result.totals = totals_of(proto);
  result.attempts = proto.attempts();
  result.created_at = wall_time(proto.created_at());
  result.started_at = wall_time(proto.started_at());
  result.finished_at = wall_time(proto.finished_at());
  result.metadata.insert(proto.metadata().begin(), proto.metadata().end());
  result.model = proto.model();
  result.worker_version = proto.worker_version();
  result.schema_version = proto.schema_version();
  return result;
}

/// The first field whose time isn't one; empty: all are.
std::string wrong_time(const v1::AnalysisResult& proto) {
  if (!valid_time(proto.created_at())) return "created_at";
  if (!valid_time(proto.started_at())) return "started_at";
  return valid_time(proto.finished_at()) ? "" : "finished_at";
}

constexpr std::int64_t kMarkBytesMax = 128;

/// The length to which the longest texts are cut, so that `excess` bytes go.
std::size_t level_for(const std::vector<Answer>& answers, std::int64_t excess) {
  std::vector<std::size_t> lengths;
  for (const Answer& answer : answers) lengths.push_back(answer.text.size());
  std::sort(lengths.rbegin(), lengths.rend());
  std::int64_t above = 0;  // bytes of the `count` longest
  for (std::size_t count = 1; count <= lengths.size(); ++count) {
    above += static_cast<std::int64_t>(lengths[count - 1]);
    const auto level = (above - excess) / static_cast<std::int64_t>(count);
    const auto next = count < lengths.size() ? static_cast<std::int64_t>(lengths[count]) : 0;
    if (level >= next) return static_cast<std::size_t>(level);
  }
  return 0;
}

void cut(std::string& text, std::size_t bytes) {
  const std::size_t whole = text.size();
  text.resize(utf8_prefix(text, bytes).size());
  text += "\n… [cut: the first " + std::to_string(text.size()) + " of " + std::to_string(whole) +
          " bytes (result_bytes_max)]";
}

}  // namespace

std::string encode_result(const JobResult& result, Encoding encoding) {
  return proto_value(proto_from_result(result), encoding);
}

std::string result_to_json(const JobResult& result) {
  return write_proto_json(proto_from_result(result), Defaults::Written);
}

Result<JobResult> decode_result(std::string_view value, std::string_view content_type) {
  v1::AnalysisResult proto;
  if (auto defect = read_proto_value(value, content_type, proto))
    return make_error(ErrorCode::Corrupt, "no readable result: " + defect->field + " " +
                                              defect->message + " (" + defect->reason.text() + ")");
  if (proto.schema_version() > kResultSchemaVersion)
    return make_error(ErrorCode::InvalidArgument,
                      "schema_version " + std::to_string(proto.schema_version()) +
                          " of the result is newer than this program reads (" +
                          std::to_string(kResultSchemaVersion) + ")");
  const auto outcome = parse_outcome(proto.outcome());
  if (!outcome)
    return make_error(ErrorCode::Corrupt, "unknown outcome \"" + proto.outcome() + "\"");
  if (const std::string field = wrong_time(proto); !field.empty())
    return make_error(ErrorCode::Corrupt,
                      "no readable result: " + field + " is no time of the years 1 to 9999");
  return result_of(proto, *outcome);
}

JobResult fit_result(JobResult result, const Publication& publication) {
  const auto bytes = static_cast<std::int64_t>(encode_result(result, publication.encoding).size());
  if (bytes <= publication.result_bytes_max) return result;
  // Every byte of a text takes at least one of the record.
  const auto marks = kMarkBytesMax * static_cast<std::int64_t>(result.answers.size());
  const std::size_t level = level_for(result.answers, bytes - publication.result_bytes_max + marks);
  for (Answer& answer : result.answers)
    if (answer.text.size() > level) cut(answer.text, level);
  return result;
}

}  // namespace ba
