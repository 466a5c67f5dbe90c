// SPDX-License-Identifier: Apache-2.0
#include "tests/support/fake_shard_transport.hpp"

#include <utility>

namespace ba {
namespace {

Error no_answer(const char* what) {
  return {ErrorCode::Timeout, Retry::Later, std::string("no answer to ") + what, "", {}, true};
}

Error refusal(FakeKafka::Answer answer) {
  return {answer == FakeKafka::Answer::Fenced ? ErrorCode::Fenced : ErrorCode::Protocol,
          Retry::Later,
          "the broker refused",
          "",
          {},
          false};
}

}  // namespace

class FakeShardTransports::Transport final : public ShardTransport {
 public:
  Transport(FakeShardTransports& owner, int shard) : owner_(owner), shard_(shard) {}

  void open(Completion<std::optional<std::int64_t>> done) override {
    init(done, [this, done] {
      read(done, [done](std::optional<std::int64_t> receipt) { done(receipt); });
    });
  }

  void send(OutboxBatch batch, Completion<bool> done) override {
    auto shared = std::make_shared<const OutboxBatch>(std::move(batch));
    closed_.clear();
    trying_ = shared;
    request("Produce", done, begin_and_produce_half(shared), [this, shared, done] {
      request("Produce", done, produce_rest(shared), [this, done] { end(done); });
    });
  }

  std::map<std::string, std::string> closed() const override { return closed_; }

 private:
  using Half = std::shared_ptr<const OutboxBatch>;
  using Answer = FakeKafka::Answer;

  template <typename D>
  void init(const Completion<D>& done, std::function<void()> then) {
    call<int>([&kafka = owner_.kafka_, shard = shard_] { return kafka.init(shard); },
              [this, done, then](std::optional<int> epoch) {
                if (!epoch) return done(no_answer("InitProducerId"));
                epoch_ = *epoch;
                then();
              });
  }

  template <typename D>
  void read(const Completion<D>& done, std::function<void(std::optional<std::int64_t>)> then) {
    using Receipt = std::optional<std::int64_t>;
    call<Receipt>([&kafka = owner_.kafka_, shard = shard_] { return kafka.receipt(shard); },
                  [done, then](std::optional<Receipt> answer) {
                    if (!answer) return done(no_answer("Fetch"));
                    then(*answer);
                  });
  }

  std::function<Answer()> begin_and_produce_half(const Half& batch) {
    return [&kafka = owner_.kafka_, shard = shard_, epoch = epoch_, batch] {
      const Answer begun = kafka.begin(shard, epoch);
      if (begun != Answer::Ok) return begun;
      const auto middle = batch->records.begin() + (batch->records.size() + 1) / 2;
      return kafka.produce(shard, epoch, {batch->records.begin(), middle}, std::nullopt);
    };
  }

  std::function<Answer()> produce_rest(const Half& batch) {
    return [&kafka = owner_.kafka_, shard = shard_, epoch = epoch_, batch] {
      const auto middle = batch->records.begin() + (batch->records.size() + 1) / 2;
      return kafka.produce(shard, epoch, {middle, batch->records.end()}, batch->number);
    };
  }

  void end(const Completion<bool>& done) {
    request(
        "EndTxn", done,
        [&kafka = owner_.kafka_, shard = shard_, epoch = epoch_] {
          return kafka.commit(shard, epoch);
        },
        [done] { done(true); });
  }

  template <typename D>
  void request(const char* what, const Completion<D>& done, std::function<Answer()> at_broker,
               std::function<void()> then) {
    call<Answer>(std::move(at_broker), [this, what, done, then](std::optional<Answer> answer) {
      if (!answer) return done(no_answer(what));
      if (*answer == Answer::Closed) closed_ = owner_.kafka_.closed_among(trying_->records);
      if (*answer != Answer::Ok) return done(refusal(*answer));
      then();
    });
  }

  /// A request of this transport: its answer is dropped when the transport is gone.
  template <typename R>
  void call(std::function<R()> at_broker, std::function<void(std::optional<R>)> answer) {
    owner_.network_.call<R>(owner_.executor_, std::move(at_broker),
                            [alive = std::weak_ptr(alive_), answer](std::optional<R> value) {
                              if (alive.lock()) answer(std::move(value));
                            });
  }

  FakeShardTransports& owner_;
  int shard_;
  int epoch_ = -1;  ///< not initialised
  Half trying_;     ///< of the last send
  std::map<std::string, std::string> closed_;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

std::unique_ptr<ShardTransport> FakeShardTransports::create(int shard) {
  return std::make_unique<Transport>(*this, shard);
}

}  // namespace ba
