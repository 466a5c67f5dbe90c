#pragma once
// SPDX-License-Identifier: Apache-2.0
// Something that happened in a running job, for live displays. Best effort, never the truth. Values
// and a pure function.

#include <string>
#include <string_view>

#include "pipeline/core/job/outcome.hpp"
#include "pipeline/core/ledger/delta.hpp"
#include "pipeline/text/contract/publication.hpp"

namespace ba::v1 {
class ProgressEvent;
}

namespace ba {

enum class ProgressKind {
  JobStarted,
  RoundStarted,
  StepFinished,
  ToolCallStarted,
  ToolCallFinished,
  RoundFinished,
  JobFinished
};

std::string_view to_string(ProgressKind kind);  ///< snake_case

struct ProgressEvent {
  TenantId tenant;
  JobId job_id;
  ConversationId conversation_id;
  ProgressKind kind = ProgressKind::JobStarted;
  int attempt = 1;
  int round = 0;  ///< from 0
  int step = 0;   ///< from 1; 0: not in a step
  int index = 0;  ///< of the tool call in its step, from 0
  std::string tool_name;
  std::string status;  ///< of what finished
  std::string text;    ///< one line for a person
  Usage usage;         ///< of the job so far
  WallTime time{};

  friend bool operator==(const ProgressEvent&, const ProgressEvent&) = default;
};

/// Into an empty message of schemas/.
void set_progress(v1::ProgressEvent& proto, const ProgressEvent& event);

/// Its JSON is written without the message, as there are several events a round; byte by byte it is
/// what write_proto_json() makes of the message.
std::string encode_progress(const ProgressEvent& event, Encoding encoding);

}  // namespace ba
