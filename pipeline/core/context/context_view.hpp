#pragma once
// SPDX-License-Identifier: Apache-2.0
// What of a running job's history its model is sent: all of it, until it takes too much of the
// window; then what compress() leaves of it, and what came after that, until it is too much again.
// Where a job asks several models there is a view for each, which the others' replies don't
// shorten. Each message is counted once. What a view is follows from what is durable, nothing else:
// after a crash it is the same again, so that a provider's cache still knows what precedes the new
// messages. One owner; control thread.

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "pipeline/core/context/compression.hpp"
#include "pipeline/core/context/narrow_window.hpp"
#include "pipeline/core/context/summary_request.hpp"
#include "pipeline/core/ledger/context_records.hpp"
#include "pipeline/core/tool/tool.hpp"

namespace ba {

/// How many tokens a model takes a text for, as a port: what counts exactly needs files and
/// configuration. Control thread only.
class TokenMeter {
 public:
  virtual ~TokenMeter() = default;

  /// `model` is a configured one. The same text always has the same count.
  virtual std::int64_t count(const std::string& model, std::string_view text) = 0;

  /// By how much the model's own count may be larger, in millionths; at least a million.
  virtual std::int64_t margin_millionths(const std::string& model) const = 0;
};

/// What a view is made for.
struct ContextFrame {
  std::string model;
  std::int64_t window = 0;      ///< in tokens; 0: not known, nothing is counted nor compressed
  std::int64_t output_max = 0;  ///< that a reply may take of it
  std::string_view system;      ///< outlives the view
  std::span<const ToolSpec> tools{};
  std::size_t earlier_messages = 0;  ///< of the history: of earlier jobs
  bool counts_exactly = false;       ///< its provider can be asked where an estimate is too near
};

/// What of a running job a view follows from: durable, or written before it is relied upon.
struct ViewedHistory {
  const std::vector<Message>& messages;          ///< all; they only grow
  std::span<const SummaryRow> summaries{};       ///< durable ones of the job
  std::span<const std::string> asked_of{};       ///< models of the job's replies, in order
  std::span<const RefusedContextRow> refused{};  ///< durable ones of the conversation, in order
  std::span<const ExactCountRow> counted{};      ///< durable ones of the job
};

struct CompressionEvent {
  CompressionMode mode = CompressionMode::Extract;
  std::size_t messages_before = 0;
  std::size_t messages_after = 0;
  std::int64_t tokens_before = 0;  ///< with system prompt, tools and margin
  std::int64_t tokens_after = 0;
  std::string missed;  ///< why the target wasn't reached; empty: it was
  Position at{};       ///< of the job's reply that was to be asked for, as of CompressionRow
  std::string reason{};

  friend bool operator==(const CompressionEvent&, const CompressionEvent&) = default;
};

/// For the ledger.
CompressionRow row_of(const CompressionEvent& event);

class ContextView {
 public:
  /// Borrows the rules, which outlive it. `meter` may be null where the window isn't known.
  ContextView(const ContextFrame& frame, const CompressionRules& rules, TokenMeter* meter);
  ContextView(const ContextFrame& frame, CompressionRules&& rules, TokenMeter* meter) = delete;

  /// What to send now. The history has only grown since the last time; what is borrowed of it and
  /// of the view is good until either changes. A summary is used from the reply on that comes after
  /// its `after`, if it is of what is dropped then.
  std::vector<const Message*> messages(const ViewedHistory& history);

  /// Where what messages() gave last is not decided yet: it lies so near to the threshold that the
  /// provider is to count it first. With a durable row in `counted`, messages() decides.
  std::optional<ExactCountRow> wanted_count() const;

  /// What was sent before replies of this view's model is known again; nothing is sent.
  void catch_up(const ViewedHistory& history);

  /// A summary that should be written of what is dropped now; none: none should, or there is one.
  const SummaryRequest* wanted_summary() const {
    return wanted_ && !written_ ? &*wanted_ : nullptr;
  }

  /// What is left of the history, with what came since messages().
  CompressedHistoryRow left_of(const std::vector<Message>& history) const;

  /// Of what messages() gave last, with system prompt, tools and margin; none: nothing is counted.
  std::optional<std::int64_t> estimated_tokens() const;

  /// The same, counted now where it wasn't; none: there is no meter.
  std::optional<std::int64_t> count_tokens(const std::vector<Message>& history);

  /// How many tokens of the history messages() left out last, what was made in their place
  /// subtracted; without a margin. Less than 0: that has more. 0 where nothing is counted.
  std::int64_t left_out_tokens() const { return taken_in_ - tokens_; }

  /// What a reply may take at most, where the window turned out to be smaller; 0: it did not.
  std::int64_t output_ceiling() const;

  /// The first so many of what messages() gave last are in another place, or behind other messages,
  /// than when they were written.
  std::size_t moved() const { return moved_; }

  /// How often what messages() gives began to be other than the last with more behind it.
  int moves() const { return moves_; }

  /// Since the last time.
  std::vector<CompressionEvent> take_events() { return std::exchange(events_, {}); }
  int compressions() const { return compressions_; }

 private:
  struct Item {
    std::size_t index = KeptMessage::kMade;
    /// In its place: a summary (kMade), a question that tells the job's date; shared with nobody,
    /// but movable.
    std::shared_ptr<const Message> made;

    bool is_summary() const { return index == KeptMessage::kMade; }
  };

  bool asked_for(const ViewedHistory& history, std::size_t index) const;
  void take_in(const std::vector<Message>& history, std::size_t index);
  Position place_of_reply(const Message& message) const;
  void ask(const ViewedHistory& history, std::size_t size, const Position& reply, bool may_wait);
  bool narrow(const ViewedHistory& history, const Position& before);
  void begin_counting(const std::vector<Message>& history);
  bool settle(const ViewedHistory& history, std::size_t size, bool may_wait);
  void make_shorter(const ViewedHistory& history, std::size_t size, std::int64_t most);
  bool wants_count(std::span<const ExactCountRow> counted) const;
  bool known_count(const ExactCountRow& row) const;
  Compressed shorter(std::span<const CountedMessage> history, std::int64_t most) const;
  void use_summary(std::span<const SummaryRow> summaries);
  void keep(const std::vector<Message>& history, Compressed compressed);
  static Item item_of(const std::vector<Message>& history, KeptMessage kept);
  std::int64_t estimated(std::int64_t view_tokens) const;
  std::int64_t output_max() const;
  std::int64_t room(int percent) const;   ///< of the window, for what is sent
  std::int64_t share(int percent) const;  ///< the same, in tokens of a view

  const ContextFrame frame_;
  const CompressionRules& rules_;
  TokenMeter* const meter_;
  const CountTokens count_;
  std::int64_t window_ = 0;            ///< of the frame, or smaller after refusals
  std::size_t refusals_ = 0;           ///< of the conversation, that were looked at
  Position reply_{};                   ///< that is asked for
  std::size_t size_ = 0;               ///< of the history it is asked with
  int refusals_here_ = 0;              ///< of that one
  bool decided_ = false;               ///< what it is asked with, as far as it was refused
  std::optional<std::int64_t> exact_;  ///< what the provider takes it for, while it is decided
  bool counting_ = false;
  std::int64_t fixed_tokens_ = 0;      ///< of system prompt and tools
  std::vector<std::int64_t> counted_;  ///< by message of the history
  std::vector<Item> items_;
  std::int64_t tokens_ = 0;    ///< of the items
  std::int64_t taken_in_ = 0;  ///< of all messages of the history
  std::size_t moved_ = 0;      ///< of the items
  int moves_ = 0;
  std::vector<CompressionEvent> events_;
  int compressions_ = 0;
  Position asked_{-1, 0, 0};              ///< the newest reply of the job that was taken in
  std::size_t replies_ = 0;               ///< of the job, of any model, that were taken in
  std::optional<SummaryRequest> wanted_;  ///< of what is dropped now
  bool written_ = false;                  ///< and used
};

}  // namespace ba
