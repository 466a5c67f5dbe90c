// SPDX-License-Identifier: Apache-2.0
#include "worker/driver/summary_writer.hpp"

#include <algorithm>

#include "pipeline/core/cache/local_results.hpp"
#include "pipeline/text/message/utf8.hpp"

namespace ba::driver {
namespace {

/// At least, of a model that wasn't chosen for summaries: a small one would be quicker.
constexpr Milliseconds kOwnTimeout{60'000};
constexpr std::size_t kBytesPerToken = 16;  // of a reply that ignores its limit

/// A reply without text, or with calls, is none.
bool usable(const ModelReply& reply) {
  const bool ended = reply.stop == StopReason::EndTurn || reply.stop == StopReason::MaxTokens;
  return ended && reply.message.tool_calls.empty() &&
         reply.message.text.find_first_not_of(" \t\r\n") != std::string::npos;
}

summary::Reused reused_of(const CacheHit& known) {
  return {known.data, known.paid.usage, known.paid.cost_micro_usd};
}

}  // namespace

void SummaryWriter::start(const SummaryOrder& order, const SummaryRequest& request,
                          int price_reading) {
  order_ = order;
  request_ = request;
  price_reading_ = price_reading;
  row_.at = order.at;
  row_.round_id = order.round_id;
  row_.content_hash = order.content_hash;
  if (!known_here()) begin();
}

std::string summary_key(LedgerConversationId conversation, const SummaryRow& row) {
  return std::to_string(conversation.value) + "/" + row.round_id + "/" + row.content_hash;
}

CacheHit known_summary(const SummaryRow& row) {
  CacheHit known{row.text, {}};
  known.paid = {row.usage, row.cost_micro_usd};
  return known;
}

bool SummaryWriter::known_here() {
  if (ports_.summaries == nullptr) return false;
  const CacheHit* known =
      ports_.summaries->find(summary_key(order_.conversation, row_), ports_.clock.now());
  if (known == nullptr) return false;
  // Not from inside start().
  later_ = ports_.executor.after(Milliseconds(0),
                                 [this, earlier = reused_of(*known)] { reuse(earlier); });
  return true;
}

/// Where it can't be put on record, there is none: nothing is asked that isn't.
void SummaryWriter::begin() {
  ports_.ledger.begin_summary(
      self_, order_,
      lifetime_.guarded([this](Result<SummaryStanding> standing) { begun(std::move(standing)); }));
}

void SummaryWriter::begun(Result<SummaryStanding> standing) {
  // It may be on record all the same, and wasn't asked for: its row is to say so.
  if (!standing && standing.error().code == ErrorCode::Fenced) return refuse("fenced");
  if (!standing) return end(give_up());
  if (auto* reused = std::get_if<summary::Reused>(&*standing)) return reuse(std::move(*reused));
  if (const auto* refused = std::get_if<summary::Refused>(&*standing)) return refuse(refused->why);
  if (!hooks_.wanted()) return end(give_up());  // on record, and not paid
  ask();
}

void SummaryWriter::ask() {
  hooks_.asked(row_);
  HumanMessage human;
  human.meta.message_id = MessageId(order_.round_id + "/to-summarize");
  human.text = request_.text;
  const Message message(std::move(human));
  const SummaryRules& rules = ports_.compression.summary;
  ModelRequest request;
  request.model = request_.model;
  request.system = request_.system;
  request.messages = {&message};
  request.max_output_tokens = request_.output_tokens_max;
  request.timeout = request_.own ? std::max(rules.timeout, kOwnTimeout) : rules.timeout;
  request.affinity = static_cast<std::uint64_t>(order_.conversation.value);
  request.price_reading = price_reading_;
  request.aside = true;
  ModelListener listener;
  listener.lost = [this] {
    lost_ = true;
    later_ = ports_.executor.after(Milliseconds(0), [this] { end(give_up()); });
  };
  listener.done = [this](ModelOutcome outcome) { answered(std::move(outcome)); };
  call_ = ports_.models.ask(request, std::move(listener));
}

void SummaryWriter::answered(ModelOutcome outcome) {
  const auto finished = std::move(call_);
  row_.state = SummaryState::Failed;
  if (auto* reply = std::get_if<ModelReply>(&outcome)) {
    if (usable(*reply)) row_.state = SummaryState::Ready;
    const auto most =
        static_cast<std::size_t>(ports_.compression.summary.tokens_max) * kBytesPerToken;
    if (row_.state == SummaryState::Ready)
      row_.text = storable(utf8_prefix(reply->message.text, most));
    row_.model = storable(reply->provider + "/" + reply->model);
    row_.usage = reply->message.usage;
    row_.cost_micro_usd = reply->cost_micro_usd;
  }
  end(row_);
}

void SummaryWriter::reuse(summary::Reused earlier) {
  row_.state = SummaryState::Ready;
  row_.text = std::move(earlier.text);
  row_.usage = earlier.usage;
  row_.cost_micro_usd = earlier.cost_micro_usd;
  row_.reused = true;
  end(row_);
}

SummaryRow SummaryWriter::give_up() {
  const bool lost = request_out();
  call_.reset();
  later_.reset();
  lifetime_.end();
  row_.state = lost ? SummaryState::Lost : SummaryState::Failed;
  return row_;
}

void SummaryWriter::end(SummaryRow row) {
  const auto ended = hooks_.ended;
  ended(std::move(row));
}

void SummaryWriter::refuse(const std::string& why) {
  const auto refused = hooks_.refused;
  refused(why);
}

}  // namespace ba::driver
