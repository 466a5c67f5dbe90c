// SPDX-License-Identifier: Apache-2.0
#include "pipeline/context/context_view.hpp"

#include <algorithm>
#include <utility>

namespace ba {
namespace {

constexpr std::int64_t kMillion = 1'000'000;

std::vector<CountedMessage> counted_messages(const std::vector<Message>& history,
                                             const std::vector<std::int64_t>& tokens,
                                             std::size_t size) {
  std::vector<CountedMessage> counted;
  counted.reserve(size);
  for (std::size_t i = 0; i < size; ++i) counted.push_back({&history[i], tokens[i]});
  return counted;
}

}  // namespace

ContextView::ContextView(const ContextFrame& frame, const CompressionRules& rules,
                         TokenMeter* meter)
    : frame_(frame),
      rules_(rules),
      meter_(meter),
      count_([this](std::string_view text) { return meter_->count(frame_.model, text); }) {
  if (frame_.window <= 0) return;
  fixed_tokens_ = count_(frame_.system);
  for (const ToolSpec& tool : frame_.tools)
    fixed_tokens_ += count_(tool.name) + count_(tool.description) + count_(tool.parameters_schema);
}

std::vector<const Message*> ContextView::messages(const std::vector<Message>& history) {
  // Before each of the job's replies the model was asked: what was compressed then is again.
  for (std::size_t index = counted_.size(); index < history.size(); ++index) {
    if (index >= frame_.earlier_messages && std::holds_alternative<AiMessage>(history[index]))
      settle(history, index);
    take_in(history, index);
  }
  settle(history, history.size());
  std::vector<const Message*> messages;
  messages.reserve(items_.size());
  for (const Item& item : items_)
    messages.push_back(item.made ? item.made.get() : &history[item.index]);
  return messages;
}

void ContextView::take_in(const std::vector<Message>& history, std::size_t index) {
  counted_.push_back(frame_.window > 0 ? message_tokens(history[index], count_) : 0);
  tokens_ += counted_.back();
  items_.push_back({index, nullptr});
}

std::int64_t ContextView::estimated(std::int64_t view_tokens) const {
  const std::int64_t tokens = view_tokens + fixed_tokens_;
  const std::int64_t margin = meter_->margin_millionths(frame_.model);
  return tokens / kMillion * margin + tokens % kMillion * margin / kMillion;
}

std::optional<std::int64_t> ContextView::estimated_tokens() const {
  if (frame_.window <= 0) return std::nullopt;
  return estimated(tokens_);
}

std::int64_t ContextView::share(int percent) const {
  const std::int64_t room = frame_.window / 100 * percent + frame_.window % 100 * percent / 100;
  const std::int64_t for_input = std::min(room, frame_.window - frame_.output_max);
  return for_input * kMillion / meter_->margin_millionths(frame_.model) - fixed_tokens_;
}

/// Compresses what the model is asked with when the first `size` messages are there, if it has to.
void ContextView::settle(const std::vector<Message>& history, std::size_t size) {
  if (frame_.window <= 0) return;
  const std::int64_t most = share(rules_.threshold_percent);
  if (tokens_ <= most) return;
  const auto counted = counted_messages(history, counted_, size);
  const std::int64_t target = std::max<std::int64_t>(share(rules_.target_percent), 0);
  Compressed compressed = compress(counted, rules_, count_, std::min(target, most), most);
  if (compressed.tokens_after >= tokens_) return;
  events_.push_back({compressed.mode, items_.size(), compressed.messages.size(), estimated(tokens_),
                     estimated(compressed.tokens_after), compressed.missed});
  ++compressions_;
  tokens_ = compressed.tokens_after;
  items_.clear();
  for (KeptMessage& kept : compressed.messages)
    items_.push_back({kept.index, kept.index == KeptMessage::kMade
                                      ? std::make_shared<const Message>(std::move(kept.summary))
                                      : nullptr});
}

}  // namespace ba
