#pragma once
// SPDX-License-Identifier: Apache-2.0
// What the ledger keeps of how a conversation that became too long was made shorter: that it
// happened, what was left at the end of a round, summaries that a model wrote, and reminders of the
// task. The full history is kept beside it, always. Values.

#include <cstdint>
#include <optional>
#include <string>
#include <variant>

#include "pipeline/base/enum_names.hpp"
#include "pipeline/base/ids.hpp"
#include "pipeline/base/time.hpp"
#include "pipeline/text/message/message.hpp"
#include "pipeline/text/message/position.hpp"

namespace ba {

/// What was sent to ask for a reply was made shorter than the history.
struct CompressionRow {
  Position at;         ///< of the reply; index: how often it had been refused before
  std::string mode;    ///< as in the configuration
  std::string reason;  ///< for people
  std::int64_t messages_before = 0;
  std::int64_t messages_after = 0;
  std::int64_t tokens_before = 0;
  std::int64_t tokens_after = 0;
  std::string missed;  ///< why the target wasn't reached; empty: it was

  friend bool operator==(const CompressionRow&, const CompressionRow&) = default;
};

/// A provider refused what it was sent as too long: for this conversation the model's window is
/// taken to be smaller from then on. Durable before the model is asked again.
struct RefusedContextRow {
  /// Of the reply that was asked for; index: which refusal of it, from 1. Round -1: of an earlier
  /// job.
  Position at;
  std::string model;        ///< the configured one
  std::int64_t window = 0;  ///< from now on, in tokens as we count them
  std::int64_t tokens = 0;  ///< of what was refused, likewise
  std::int64_t of_window =
      0;  ///< as configured then; 0: not known. With another one it says nothing
  std::optional<std::int64_t> told_limit;   ///< in the provider's words and tokens
  std::optional<std::int64_t> told_tokens;  ///< likewise

  friend bool operator==(const RefusedContextRow&, const RefusedContextRow&) = default;
};

/// A provider was asked how many tokens it takes a request for, as our estimate lay too near to
/// where the history is made shorter. Durable before anything is decided by it.
struct ExactCountRow {
  Position at;                 ///< of the reply that is to be asked for, as of CompressionRow
  std::string model;           ///< the configured one
  std::int64_t estimated = 0;  ///< of the request, as we count it
  std::optional<std::int64_t> tokens;  ///< as the provider does; none: it didn't say, ours decides
  /// Of its messages alone, as we count them, without margin: says what history was counted,
  /// however the prompt and the tools are described when the job is loaded again.
  std::int64_t of_messages = 0;

  friend bool operator==(const ExactCountRow&, const ExactCountRow&) = default;
};

/// What is left of a conversation's history at the end of a round.
struct CompressedHistoryRow {
  int round = 0;
  std::int64_t messages = 0;
  std::int64_t tokens = 0;
  /// A JSON array in order: ids of messages of the history, and messages made in place of others.
  /// A question that tells the job's date in the place of one that was dropped stands whole.
  std::string kept_json;

  friend bool operator==(const CompressedHistoryRow&, const CompressedHistoryRow&) = default;
};

/// Index of a reminder within the step after whose results it stands.
inline constexpr int kReminderIndex = 1'000'000;

struct ReminderRow {
  Position position;
  HumanMessage message;
};

enum class SummaryState {
  Writing,  ///< a model is asked, or about to be
  Ready,
  Failed,  ///< there is none, and no reply was lost
  Lost,    ///< it may have been paid, and nobody heard it: counted as a wasted call
};
inline constexpr EnumNames<SummaryState, 4> kSummaryStateNames{{{SummaryState::Writing, "writing"},
                                                                {SummaryState::Ready, "ready"},
                                                                {SummaryState::Failed, "failed"},
                                                                {SummaryState::Lost, "lost"}}};

/// A summary of what was dropped by one compression. A job asks a model for it once.
struct SummaryRow {
  Position at;  ///< of the reply that was asked for with the history made shorter
  /// Of the reply after which it is durable: it is used from the next one on. So what a model was
  /// sent follows from the rows.
  Position after;
  SummaryState state = SummaryState::Writing;
  std::string round_id;      ///< the last round that it covers
  std::string content_hash;  ///< of what it covers
  std::string text;          ///< of one that is ready
  std::string model;         ///< "provider/model" that wrote it; empty: none answered
  Usage usage;               ///< of one that is reused: what the earlier took
  std::optional<std::int64_t> cost_micro_usd;  ///< likewise; none: no price is configured
  bool reused = false;                         ///< paid by an earlier one of the same content

  friend bool operator==(const SummaryRow&, const SummaryRow&) = default;
};

/// Who wants a summary of what, and what it may cost.
struct SummaryOrder {
  LedgerJobId job;
  LedgerConversationId conversation;
  Position at;
  std::string round_id;
  std::string content_hash;
  std::int64_t estimate_micro_usd = 0;
  std::int64_t hour_micro_usd_max = 0;  ///< of all summaries of all workers in the last hour
  Milliseconds reuse_within{0};         ///< of an earlier one of the same content
};

namespace summary {
struct Begun {};  ///< recorded as being written: ask the model
struct Reused {   ///< of the same conversation, round and content; nothing is recorded
  std::string text;
  Usage usage;  ///< that was paid for it then
  std::optional<std::int64_t> cost_micro_usd;
};
struct Refused {  ///< nothing is recorded
  std::string why;
};
}  // namespace summary

using SummaryStanding = std::variant<summary::Begun, summary::Reused, summary::Refused>;

}  // namespace ba
