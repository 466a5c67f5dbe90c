// SPDX-License-Identifier: Apache-2.0
#include "pipeline/core/context/context_view.hpp"

#include <algorithm>
#include <utility>

#include "pipeline/base/assert.hpp"
#include "pipeline/core/context/compression.hpp"
#include "pipeline/core/context/history_rounds.hpp"
#include "pipeline/text/message/json_text.hpp"
#include "pipeline/text/message/langchain_json.hpp"
#include "pipeline/text/message/position.hpp"

namespace ba {
namespace {

constexpr std::int64_t kMillion = 1'000'000;

/// An estimate within a tenth of the threshold may be on the wrong side of it.
constexpr std::int64_t kNearThreshold = 10;

std::vector<CountedMessage> counted_messages(const std::vector<Message>& history,
                                             const std::vector<std::int64_t>& tokens,
                                             std::size_t size) {
  std::vector<CountedMessage> counted;
  counted.reserve(size);
  for (std::size_t i = 0; i < size; ++i) counted.push_back({&history[i], tokens[i]});
  return counted;
}

/// What a skill brings stands in the history as if the model had said it.
bool is_reply(const Message& message) {
  return std::holds_alternative<AiMessage>(message) && !is_hidden(message);
}

}  // namespace

ContextView::ContextView(const ContextFrame& frame, const CompressionRules& rules,
                         TokenMeter* meter)
    : frame_(frame),
      rules_(rules),
      meter_(meter),
      count_([this](std::string_view text) { return meter_->count(frame_.model, text); }),
      window_(frame.window) {
  if (window_ > 0) begin_counting({});
}

/// Also of what was taken in uncounted, as the window wasn't known.
void ContextView::begin_counting(const std::vector<Message>& history) {
  if (std::exchange(counting_, true)) return;
  fixed_tokens_ = count_(frame_.system);
  for (const ToolSpec& tool : frame_.tools)
    fixed_tokens_ += count_(tool.name) + count_(tool.description) + count_(tool.parameters_schema);
  for (std::size_t index = 0; index < counted_.size(); ++index) {
    counted_[index] = message_tokens(history[index], count_);
    tokens_ += counted_[index];
    taken_in_ += counted_[index];
  }
}

std::vector<const Message*> ContextView::messages(const ViewedHistory& history) {
  catch_up(history);
  const Position reply{std::max(asked_.round, 0), asked_.step + 1, 0};
  ask(history, history.messages.size(), reply, frame_.counts_exactly);
  std::vector<const Message*> messages;
  messages.reserve(items_.size());
  for (const Item& item : items_)
    messages.push_back(item.made ? item.made.get() : &history.messages[item.index]);
  return messages;
}

void ContextView::catch_up(const ViewedHistory& history) {
  // Before each of its replies the model was asked: what was compressed then is again.
  for (std::size_t index = counted_.size(); index < history.messages.size(); ++index) {
    if (asked_for(history, index))
      ask(history, index, place_of_reply(history.messages[index]), false);
    take_in(history.messages, index);
  }
}

/// Whether the next message is a reply that this view's model was asked for.
bool ContextView::asked_for(const ViewedHistory& history, std::size_t index) const {
  if (index < frame_.earlier_messages || !is_reply(history.messages[index])) return false;
  return replies_ >= history.asked_of.size() || history.asked_of[replies_] == frame_.model;
}

/// Of the round that was begun last. A copy of a job may lack some of its steps: the reply says
/// itself which one it was.
Position ContextView::place_of_reply(const Message& message) const {
  const MessageMeta& meta = meta_of(message);
  const auto said = position_in(meta.message_id, meta.round_id);
  return {std::max(asked_.round, 0), said ? said->step : asked_.step + 1, 0};
}

/// What the model is asked with for this reply when the first `size` messages are there: as it was
/// asked first, then, where that was refused, as it was asked again. What was decided for it stays,
/// however often it is asked for. `may_wait`: for a count, where there is none.
void ContextView::ask(const ViewedHistory& history, std::size_t size, const Position& reply,
                      bool may_wait) {
  if (reply_ != reply || size_ != size) {
    reply_ = reply;
    size_ = size;
    narrow(history, reply);
    refusals_here_ = 0;
    decided_ = false;
  }
  for (;;) {
    const bool refused = refusals_ < history.refused.size() &&
                         history.refused[refusals_].at.round == reply.round &&
                         history.refused[refusals_].at.step == reply.step;
    if (!decided_) decided_ = settle(history, size, may_wait && !refused);
    if (!refused) return use_summary(history.summaries);
    const Position& at = history.refused[refusals_].at;
    refusals_here_ = at.index;
    if (narrow(history, {at.round, at.step, at.index + 1})) decided_ = false;
  }
}

/// By the refusals that came before `before`; whether there were any.
bool ContextView::narrow(const ViewedHistory& history, const Position& before) {
  bool any = false;
  for (; refusals_ < history.refused.size() && history.refused[refusals_].at < before;
       ++refusals_) {
    const RefusedContextRow& row = history.refused[refusals_];
    if (row.model != frame_.model || row.of_window != frame_.window || meter_ == nullptr) continue;
    begin_counting(history.messages);
    window_ = smaller_window(window_, row.window);
    any = true;
  }
  return any;
}

void ContextView::take_in(const std::vector<Message>& history, std::size_t index) {
  counted_.push_back(counting_ ? message_tokens(history[index], count_) : 0);
  tokens_ += counted_.back();
  taken_in_ += counted_.back();
  items_.push_back({index, nullptr});
  if (index < frame_.earlier_messages) return;
  if (is_reply(history[index])) {
    asked_.step = place_of_reply(history[index]).step;
    ++replies_;
  }
  if (std::holds_alternative<HumanMessage>(history[index]) && !is_hidden(history[index]))
    asked_ = {asked_.round + 1, 0, 0};
}

std::int64_t ContextView::estimated(std::int64_t view_tokens) const {
  const std::int64_t tokens = view_tokens + fixed_tokens_;
  const std::int64_t margin = meter_->margin_millionths(frame_.model);
  return tokens / kMillion * margin + tokens % kMillion * margin / kMillion;
}

std::optional<std::int64_t> ContextView::estimated_tokens() const {
  if (!counting_) return std::nullopt;
  return estimated(tokens_);
}

std::optional<std::int64_t> ContextView::count_tokens(const std::vector<Message>& history) {
  if (meter_ == nullptr) return std::nullopt;
  begin_counting(history);
  return estimated(tokens_);
}

std::int64_t ContextView::output_ceiling() const {
  return window_ == frame_.window ? 0 : ba::output_ceiling(window_);
}

std::int64_t ContextView::output_max() const {
  const std::int64_t ceiling = output_ceiling();
  return ceiling > 0 ? std::min(frame_.output_max, ceiling) : frame_.output_max;
}

std::int64_t ContextView::room(int percent) const {
  const std::int64_t share = window_ / 100 * percent + window_ % 100 * percent / 100;
  return std::min(share, window_ - output_max());
}

std::int64_t ContextView::share(int percent) const {
  if (exact_) return room(percent) * (tokens_ + fixed_tokens_) / *exact_ - fixed_tokens_;
  return room(percent) * kMillion / meter_->margin_millionths(frame_.model) - fixed_tokens_;
}

/// Whether this is what was counted, for the reply that is asked for.
bool ContextView::known_count(const ExactCountRow& row) const {
  return row.at == Position{reply_.round, reply_.step, refusals_here_} &&
         row.model == frame_.model && row.of_messages == tokens_;
}

/// A window that a provider's refusals made smaller is in tokens as we count them, so no count is
/// of use to it. Asked for a count once, a provider isn't asked again.
bool ContextView::wants_count(std::span<const ExactCountRow> counted) const {
  if (window_ != frame_.window) return false;
  const Position at{reply_.round, reply_.step, refusals_here_};
  if (std::ranges::find(counted, at, &ExactCountRow::at) != counted.end()) return false;
  const std::int64_t most = room(rules_.threshold_percent);
  const std::int64_t tokens = estimated(tokens_);
  return most > 0 && std::max(most - tokens, tokens - most) <= most / kNearThreshold;
}

std::optional<ExactCountRow> ContextView::wanted_count() const {
  if (decided_) return std::nullopt;
  return ExactCountRow{
      {reply_.round, reply_.step, refusals_here_}, frame_.model, estimated(tokens_), {}, tokens_};
}

/// Compresses what the model is asked with when the first `size` messages are there, if it has to;
/// false: that can't be said before it is counted.
bool ContextView::settle(const ViewedHistory& history, std::size_t size, bool may_wait) {
  if (window_ <= 0) return true;
  use_summary(history.summaries);
  exact_.reset();
  if (may_wait && wants_count(history.counted)) return false;
  const auto row =
      std::ranges::find_if(history.counted, [this](const auto& each) { return known_count(each); });
  const bool known = row != history.counted.end() && row->tokens.value_or(0) > 0;
  if (known && window_ == frame_.window) exact_ = row->tokens;
  const std::int64_t most = share(rules_.threshold_percent);
  if (tokens_ > most) make_shorter(history, size, most);
  exact_.reset();
  return true;
}

/// With room for the job's date, where its question goes.
Compressed ContextView::shorter(std::span<const CountedMessage> history, std::int64_t most) const {
  const std::int64_t target =
      std::min(std::max<std::int64_t>(share(rules_.target_percent), 0), most);
  Compressed compressed = compress(history, rules_, count_, target, most);
  const std::int64_t date = keep_job_date(history, frame_.earlier_messages, count_, compressed);
  if (date == 0) return compressed;
  compressed = compress(history, rules_, count_, std::max<std::int64_t>(target - date, 0),
                        std::max<std::int64_t>(most - date, 0));
  keep_job_date(history, frame_.earlier_messages, count_, compressed);
  return compressed;
}

void ContextView::make_shorter(const ViewedHistory& history, std::size_t size, std::int64_t most) {
  const auto counted = counted_messages(history.messages, counted_, size);
  Compressed compressed = shorter(counted, most);
  if (compressed.tokens_after >= tokens_) return;
  wanted_.reset();
  written_ = false;
  if (compressed.mode != CompressionMode::Truncate && wants_summary(rules_, size))
    wanted_ = summary_request(counted, compressed, rules_.summary, {frame_.model, window_});
  CompressionEvent event{wanted_ ? CompressionMode::Summarize : compressed.mode,
                         items_.size(),
                         compressed.messages.size(),
                         estimated(tokens_),
                         estimated(compressed.tokens_after),
                         compressed.missed};
  event.at = {reply_.round, reply_.step, refusals_here_};
  event.reason = std::to_string(exact_.value_or(event.tokens_before)) + " tokens of a window of " +
                 std::to_string(window_) + " (threshold " +
                 std::to_string(rules_.threshold_percent) + " %)";
  if (exact_) event.reason += ", as the provider counts";
  if (window_ != frame_.window) event.reason += "; the provider had refused more";
  events_.push_back(std::move(event));
  ++compressions_;
  keep(history.messages, std::move(compressed));
  use_summary(history.summaries);
}

void ContextView::keep(const std::vector<Message>& history, Compressed compressed) {
  tokens_ = compressed.tokens_after;
  // A plain loop has no reminders: that one is left out saves nothing.
  for (const Item& item : items_)
    if (!item.made && is_reminder(history[item.index])) taken_in_ -= counted_[item.index];
  for (const KeptMessage& kept : compressed.messages)
    if (kept.index != KeptMessage::kMade && is_reminder(history[kept.index]))
      taken_in_ += counted_[kept.index];
  items_.clear();
  for (KeptMessage& kept : compressed.messages) items_.push_back(item_of(history, std::move(kept)));
  moved_ = items_.size();
  ++moves_;
}

ContextView::Item ContextView::item_of(const std::vector<Message>& history, KeptMessage kept) {
  Item item{kept.index, nullptr};
  if (item.is_summary())
    item.made = std::make_shared<const Message>(std::move(kept.summary));
  else if (!kept.job_time.empty())
    item.made = std::make_shared<const Message>(
        told_with(std::get<HumanMessage>(history[kept.index]), kept));
  return item;
}

/// Puts a written summary where the first extract stands, and takes all of them away.
void ContextView::use_summary(std::span<const SummaryRow> summaries) {
  if (!wanted_ || written_) return;
  const auto found = std::ranges::find_if(summaries, [this](const SummaryRow& row) {
    return row.state == SummaryState::Ready && row.after <= asked_ &&
           row.content_hash == wanted_->content_hash;
  });
  if (found == summaries.end()) return;
  written_ = true;
  const auto first = std::ranges::find_if(items_, &Item::is_summary);
  BA_ASSERT(first != items_.end());
  const auto at = first - items_.begin();
  const auto& extract = std::get<SystemMessage>(*first->made);
  auto summary = std::make_shared<const Message>(written_summary(*wanted_, extract, found->text));
  for (const Item& item : items_)
    if (item.is_summary()) tokens_ -= message_tokens(*item.made, count_);
  tokens_ += message_tokens(*summary, count_);
  std::erase_if(items_, [](const Item& item) { return item.is_summary(); });
  items_.insert(items_.begin() + at, {KeptMessage::kMade, std::move(summary)});
  moved_ = items_.size();
  ++moves_;
}

CompressedHistoryRow ContextView::left_of(const std::vector<Message>& history) const {
  CompressedHistoryRow row;
  row.tokens = counting_ ? tokens_ : 0;
  const auto add = [&row](const std::string& json) {
    row.kept_json += row.messages++ == 0 ? "[" : ",";
    row.kept_json += json;
  };
  const auto add_id = [&](std::size_t index) {
    std::string id;
    append_json_string(id, meta_of(history[index]).message_id.value);
    add(id);
  };
  for (const Item& item : items_) item.made ? add(message_to_json(*item.made)) : add_id(item.index);
  for (std::size_t index = counted_.size(); index < history.size(); ++index) {
    if (counting_) row.tokens += message_tokens(history[index], count_);
    add_id(index);
  }
  row.kept_json += row.messages == 0 ? "[]" : "]";
  return row;
}

CompressionRow row_of(const CompressionEvent& event) {
  CompressionRow row;
  row.at = event.at;
  row.mode = name_of(kCompressionModeNames, event.mode);
  row.reason = event.reason;
  row.messages_before = static_cast<std::int64_t>(event.messages_before);
  row.messages_after = static_cast<std::int64_t>(event.messages_after);
  row.tokens_before = event.tokens_before;
  row.tokens_after = event.tokens_after;
  row.missed = event.missed;
  return row;
}

}  // namespace ba
