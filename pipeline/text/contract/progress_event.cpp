// SPDX-License-Identifier: Apache-2.0
#include "pipeline/text/contract/progress_event.hpp"

#include "ba/v1/progress_event.pb.h"
#include "pipeline/base/enum_names.hpp"
#include "pipeline/text/contract/proto_value.hpp"

namespace ba {
namespace {

constexpr EnumNames<ProgressKind, 7> kKinds{{{ProgressKind::JobStarted, "job_started"},
                                             {ProgressKind::RoundStarted, "round_started"},
                                             {ProgressKind::StepFinished, "step_finished"},
                                             {ProgressKind::ToolCallStarted, "tool_call_started"},
                                             {ProgressKind::ToolCallFinished, "tool_call_finished"},
                                             {ProgressKind::RoundFinished, "round_finished"},
                                             {ProgressKind::JobFinished, "job_finished"}}};

}  // namespace

std::string_view to_string(ProgressKind kind) { return name_of(kKinds, kind); }

std::string encode_progress(const ProgressEvent& event, Encoding encoding) {
  v1::ProgressEvent proto;
  proto.set_schema_version(1);
  proto.set_tenant(event.tenant.value);
  proto.set_job_id(event.job_id.value);
  proto.set_conversation_id(event.conversation_id.value);
  proto.set_kind(std::string(to_string(event.kind)));
  proto.set_attempt(event.attempt);
  proto.set_round(event.round);
  proto.set_step(event.step);
  proto.set_index(event.index);
  proto.set_tool_name(event.tool_name);
  proto.set_status(event.status);
  proto.set_text(event.text);
  set_usage(*proto.mutable_usage(), event.usage);
  set_time(*proto.mutable_time(), event.time);
  return proto_value(proto, encoding);
}

}  // namespace ba
