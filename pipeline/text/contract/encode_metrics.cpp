// SPDX-License-Identifier: Apache-2.0
#include "pipeline/text/contract/encode_metrics.hpp"

#include "ba/v1/metrics_report.pb.h"
#include "pipeline/text/contract/proto_value.hpp"
#include "pipeline/text/contract/result_id.hpp"

namespace ba {
namespace {

void set_tools(const std::vector<ToolStatistics>& tools, v1::MetricsReport& proto) {
  for (const ToolStatistics& tool : tools) {
    v1::ToolStatistics& added = *proto.add_tools();
    added.set_tool_name(tool.tool_name);
    added.set_call_count(tool.call_count);
    added.set_avg_duration_ms(tool.avg_duration_ms);
    added.set_avg_tokens(tool.avg_tokens);
    added.set_success_rate(tool.success_rate);
    added.set_error_rate(tool.error_rate);
    added.set_cache_hits(tool.cache_hits);
    added.set_cache_hit_rate(tool.cache_hit_rate);
    added.set_p95_duration_ms(tool.p95_duration_ms);
  }
}

void set_totals(const JobTotals& totals, v1::MetricsReport& proto) {
  proto.set_total_input_tokens(totals.usage.total_input());
  proto.set_total_output_tokens(totals.usage.output_tokens);
  proto.set_total_tokens(totals.usage.total());
  proto.set_cache_read_tokens(totals.usage.cache_read_tokens);
  proto.set_cache_write_tokens(totals.usage.cache_write_tokens);
  proto.set_thinking_tokens(totals.usage.thinking_tokens);
  proto.set_cost_micro_usd(totals.cost_micro_usd);
  proto.set_cost_incomplete(!totals.cost_known);
  proto.set_rounds(totals.rounds);
  proto.set_steps(totals.steps);
  proto.set_wasted_model_calls(totals.wasted_model_calls);
}

void set_saving(const Saving& saving, v1::Saving& proto) {
  proto.set_tokens(saving.tokens);
  proto.set_micro_usd(saving.micro_usd);
}

void set_savings(const Savings& savings, v1::MetricsReport& proto) {
  const Saving all = savings.total();
  proto.set_saved_tokens(all.tokens);
  proto.set_saved_micro_usd(all.micro_usd);
  v1::Savings& by = *proto.mutable_savings();
  set_saving(savings.cache, *by.mutable_cache());
  set_saving(savings.encoding, *by.mutable_encoding());
  set_saving(savings.shared_results, *by.mutable_shared_results());
  set_saving(savings.compression, *by.mutable_compression());
}

v1::MetricsReport proto_of(const TenantId& tenant, const ConversationReport& report) {
  v1::MetricsReport proto;
  proto.set_schema_version(kMetricsSchemaVersion);
  proto.set_tenant(tenant.value);
  proto.set_conversation_id(report.conversation_id.value);
  set_time(*proto.mutable_start_time(), report.start_time);
  set_time(*proto.mutable_end_time(), report.end_time);
  proto.set_total_duration_ms(report.total_duration_ms);
  set_totals(report.totals, proto);
  set_savings(report.totals.savings, proto);
  proto.set_successful_calls(report.successful_calls);
  proto.set_failed_calls(report.failed_calls);
  proto.set_retried_calls(report.retried_calls);
  proto.set_skill_activations(report.skill_activations);
  for (const std::string& skill : report.unique_skills) proto.add_unique_skills(skill);
  proto.set_messages_count(report.messages_count);
  proto.set_compression_events(report.compression_events);
  set_tools(report.tools, proto);
  proto.set_report(to_text(report));
  proto.set_cached_input_share(report.cached_input_share());
  return proto;
}

}  // namespace

std::string encode_metrics(const Job& job, const ConversationReport& report, Encoding encoding) {
  v1::MetricsReport proto = proto_of(job.tenant, report);
  proto.set_result_id(result_id(job.tenant, job.job_id, kMetricsKind).value);
  proto.set_job_id(job.job_id.value);
  return proto_value(proto, encoding);
}

std::string conversation_metrics_json(const TenantId& tenant, const ConversationReport& report) {
  return proto_value(proto_of(tenant, report), Encoding::Json);
}

}  // namespace ba
