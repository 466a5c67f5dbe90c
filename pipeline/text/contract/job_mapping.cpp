// SPDX-License-Identifier: Apache-2.0
#include "pipeline/text/contract/job_mapping.hpp"

#include "pipeline/text/answer/answer.hpp"
#include "pipeline/text/contract/proto_value.hpp"
#include "pipeline/text/contract/text_check.hpp"

namespace ba {
namespace {

using Defect = std::optional<DeadLetterReason>;
using Names = google::protobuf::RepeatedPtrField<std::string>;

Defect check_version(int version) {
  if (version > kJobSchemaVersion)
    return DeadLetterReason{"UNKNOWN_VERSION", "schema_version",
                            "version " + std::to_string(version) +
                                " is newer than this worker reads (" +
                                std::to_string(kJobSchemaVersion) + ")"};
  if (version < 0) return invalid_field("schema_version", "must not be negative");
  return std::nullopt;
}

Defect check_ids(const v1::AnalysisJob& job, const JobContractLimits& limits) {
  TextRule id{.chars_max = limits.id_chars_max};
  TextRule required = id;
  required.required = true;
  if (auto defect = check_text("tenant", job.tenant(), required)) return defect;
  if (job.tenant().find('/') != std::string::npos)
    return invalid_field("tenant", "must not contain '/'");
  if (auto defect = check_text("job_id", job.job_id(), required)) return defect;
  TextRule conversation = id;
  conversation.chars_max += kOwnConversationPrefix.size();
  if (auto defect = check_text("conversation_id", job.conversation_id(), conversation))
    return defect;
  return check_text("user_id", job.user_id(), id);
}

Defect check_messages(const v1::AnalysisJob& job, const JobContractLimits& limits) {
  if (job.messages().empty())
    return DeadLetterReason{"MISSING_FIELD", "messages", "must have at least one message"};
  if (auto defect = check_count("messages", job.messages_size(), limits.messages_max))
    return defect;
  const TextRule rule{
      .chars_max = limits.message_chars_max, .required = true, .controls_allowed = true};
  for (int i = 0; i < job.messages_size(); ++i) {
    const std::string path = element_path("messages", static_cast<std::size_t>(i));
    if (auto defect = check_text(path, job.messages(i), rule)) return defect;
  }
  return std::nullopt;
}

Defect check_names(const char* field, const Names& names, std::size_t count_max,
                   std::size_t chars_max) {
  if (auto defect = check_count(field, names.size(), count_max)) return defect;
  const TextRule rule{.chars_max = chars_max, .required = true};
  for (int i = 0; i < names.size(); ++i) {
    const std::string path = element_path(field, static_cast<std::size_t>(i));
    if (auto defect = check_text(path, names[i], rule)) return defect;
  }
  return std::nullopt;
}

Defect check_profile(const v1::AnalysisJob& job, const JobContractLimits& limits) {
  const TextRule name{.chars_max = limits.name_chars_max};
  if (auto defect = check_names("skills", job.skills(), limits.skills_max, limits.name_chars_max))
    return defect;
  if (auto defect = check_names("allowed_tools", job.allowed_tools(), limits.allowed_tools_max,
                                limits.name_chars_max))
    return defect;
  if (auto defect = check_text("agent", job.agent(), name)) return defect;
  if (auto defect = check_text("model", job.model(), name)) return defect;
  if (!job.lane().empty() && !parse_lane(job.lane()))
    return invalid_field("lane", "must be high, normal or batch");
  return std::nullopt;
}

Defect check_limits(const v1::JobLimits& wanted, const JobContractLimits& limits) {
  const std::pair<const char*, std::int64_t> values[] = {
      {"limits.steps_per_round_max", wanted.steps_per_round_max()},
      {"limits.tokens_max", wanted.tokens_max()},
      {"limits.cost_micro_usd_max", wanted.cost_micro_usd_max()},
      {"limits.deadline_ms", wanted.deadline_ms()}};
  for (const auto& [field, value] : values)
    if (value < 0) return invalid_field(field, "must not be negative");
  if (wanted.deadline_ms() > limits.deadline_ms_max)
    return invalid_field("limits.deadline_ms",
                         "must be at most " + std::to_string(limits.deadline_ms_max));
  return std::nullopt;
}

Defect check_schema(const std::string& schema, const JobContractLimits& limits) {
  if (schema.empty()) return std::nullopt;
  if (schema.size() > limits.answer_schema_bytes_max)
    return DeadLetterReason{"TOO_LARGE", "answer_schema",
                            "has " + std::to_string(schema.size()) + " bytes, the limit is " +
                                std::to_string(limits.answer_schema_bytes_max)};
  if (auto good = check_answer_schema(schema); !good)
    return invalid_field("answer_schema", good.error().message);
  return std::nullopt;
}

Defect check_metadata(const v1::AnalysisJob& job, const JobContractLimits& limits) {
  if (auto defect = check_count("metadata", static_cast<int>(job.metadata_size()),
                                limits.metadata_entries_max))
    return defect;
  const TextRule key_rule{.chars_max = limits.metadata_key_chars_max, .required = true};
  const TextRule value_rule{.chars_max = limits.metadata_value_chars_max, .controls_allowed = true};
  for (const auto& [key, value] : job.metadata()) {
    if (auto defect = check_text("metadata key", key, key_rule)) {
      defect->field = "metadata";
      return defect;
    }
    if (auto defect = check_text(entry_path("metadata", key), value, value_rule)) return defect;
  }
  return std::nullopt;
}

Defect check_context(const v1::EventContext& context, const JobContractLimits& limits) {
  const TextRule id{.chars_max = limits.id_chars_max};
  if (auto defect = check_text("context.event_id", context.event_id(), id)) return defect;
  return check_text("context.correlation_id", context.correlation_id(), id);
}

Defect check_job(const v1::AnalysisJob& job, const JobContractLimits& limits) {
  if (auto defect = check_version(job.schema_version())) return defect;
  if (auto defect = check_ids(job, limits)) return defect;
  if (auto defect = check_messages(job, limits)) return defect;
  if (auto defect = check_profile(job, limits)) return defect;
  if (auto defect = check_limits(job.limits(), limits)) return defect;
  if (auto defect = check_schema(job.answer_schema(), limits)) return defect;
  if (auto defect = check_metadata(job, limits)) return defect;
  if (job.has_created_at() && !valid_time(job.created_at()))
    return invalid_field("created_at", "is out of range");
  return check_context(job.context(), limits);
}

}  // namespace

Job unchecked_job(const v1::AnalysisJob& proto) {
  Job job;
  job.tenant = TenantId(proto.tenant());
  job.job_id = JobId(proto.job_id());
  job.conversation_id = ConversationId(proto.conversation_id());
  job.user_id = proto.user_id();
  job.messages.assign(proto.messages().begin(), proto.messages().end());
  job.skills.assign(proto.skills().begin(), proto.skills().end());
  job.agent = proto.agent();
  job.model = proto.model();
  job.allowed_tools.assign(proto.allowed_tools().begin(), proto.allowed_tools().end());
  job.limits.steps_per_round_max = proto.limits().steps_per_round_max();
  job.limits.tokens_max = proto.limits().tokens_max();
  job.limits.cost_micro_usd_max = proto.limits().cost_micro_usd_max();
  job.limits.deadline = Milliseconds(proto.limits().deadline_ms());
  job.answer_schema = proto.answer_schema();
  job.lane = parse_lane(proto.lane()).value_or(Lane::Normal);
  job.metadata.insert(proto.metadata().begin(), proto.metadata().end());
  job.created_at = wall_time(proto.created_at());
  job.schema_version = proto.schema_version();
  job.traceparent = proto.context().traceparent();
  job.tracestate = proto.context().tracestate();
  job.source_event_id = proto.context().event_id();
  job.correlation_id = proto.context().correlation_id();
  return job;
}

DecodedRecord job_from_proto(const v1::AnalysisJob& proto, const JobContractLimits& limits) {
  if (auto defect = check_job(proto, limits)) return std::move(*defect);
  Job job = unchecked_job(proto);
  if (job.conversation_id.empty())
    job.conversation_id = ConversationId(std::string(kOwnConversationPrefix) + job.job_id.value);
  job.answer_schema = compact_json(job.answer_schema);
  if (job.agent.empty()) job.agent = "default";
  if (job.schema_version == 0) job.schema_version = kJobSchemaVersion;
  return job;
}

v1::AnalysisJob proto_from_job(const Job& job) {
  v1::AnalysisJob proto;
  proto.set_schema_version(job.schema_version);
  proto.set_tenant(job.tenant.value);
  proto.set_job_id(job.job_id.value);
  proto.set_conversation_id(job.conversation_id.value);
  proto.set_user_id(job.user_id);
  for (const std::string& message : job.messages) proto.add_messages(message);
  for (const std::string& skill : job.skills) proto.add_skills(skill);
  proto.set_agent(job.agent);
  proto.set_model(job.model);
  for (const std::string& tool : job.allowed_tools) proto.add_allowed_tools(tool);
  if (job.limits != JobLimits{}) {
    v1::JobLimits& limits = *proto.mutable_limits();
    limits.set_steps_per_round_max(job.limits.steps_per_round_max);
    limits.set_tokens_max(job.limits.tokens_max);
    limits.set_cost_micro_usd_max(job.limits.cost_micro_usd_max);
    limits.set_deadline_ms(job.limits.deadline.count());
  }
  proto.set_answer_schema(job.answer_schema);
  proto.set_lane(std::string(to_string(job.lane)));
  proto.mutable_metadata()->insert(job.metadata.begin(), job.metadata.end());
  // Without one, whoever takes the job in has the record's timestamp.
  if (job.created_at != WallTime{}) set_time(*proto.mutable_created_at(), job.created_at);
  if (!job.traceparent.empty()) proto.mutable_context()->set_traceparent(job.traceparent);
  if (!job.tracestate.empty()) proto.mutable_context()->set_tracestate(job.tracestate);
  if (!job.source_event_id.empty()) proto.mutable_context()->set_event_id(job.source_event_id);
  if (!job.correlation_id.empty()) proto.mutable_context()->set_correlation_id(job.correlation_id);
  return proto;
}

}  // namespace ba
