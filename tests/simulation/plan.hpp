#pragma once
// SPDX-License-Identifier: Apache-2.0
// What a history's jobs are, what the model will say to each, and the records that carry them.
// Drawn from the seed before anything runs. Values.

#include <map>
#include <string>
#include <vector>

#include "pipeline/core/intake/intake_batch.hpp"
#include "pipeline/core/intake/raw_record.hpp"
#include "pipeline/core/tool/tool.hpp"
#include "tests/simulation/faults.hpp"

namespace ba::sim {

enum class ReplyKind {
  Answer,
  Calls,
  CutAnswer,
  CutCalls,
  DuplicateIds,
  Empty,
  Refusal,
  ContextExceeded,
  Unstorable
};

struct ScriptedStep {
  ReplyKind kind = ReplyKind::Answer;
  std::vector<std::string> tools;  ///< or calls that concern skills
  bool long_winded = false;        ///< its answer is no record that Kafka takes
};

struct PlannedJob {
  Job job;
  bool poison = false;  ///< kills whoever asks the model for it
  std::vector<std::vector<ScriptedStep>> rounds;
};

struct PlannedRecord {
  std::size_t lane = 1;
  int partition = 0;
  Microseconds at{0};
  RawRecord record;  ///< without its place; its key is the index of the job, or "none"
};

struct Plan {
  std::vector<PlannedJob> jobs;
  std::vector<PlannedRecord> records;
};

/// The two tenants there are; their jobs and conversations have the same names.
inline constexpr const char* kTenants[] = {"acme", "beta"};
inline constexpr const char* kUnstorable = "unstorable";
/// The tool whose results all calls of a tenant share.
inline constexpr const char* kReadTool = "read";
/// The one whose results become artifacts, and the one that reads them back.
inline constexpr const char* kStoreTool = "store";
inline constexpr const char* kFetchTool = "fetch";
/// Those of the server of tools.
inline constexpr const char* kSendTool = "desk_send";
inline constexpr const char* kAskTool = "desk_ask";
/// Longer ones Kafka refuses.
inline constexpr std::size_t kRecordBytesMax = 6000;

/// What a job's human messages say: "<tenant>/<job>#<round>".
std::string message_text(const Job& job, int round);

Plan draw_plan(Dice& dice, const Scenario& scenario);

}  // namespace ba::sim
