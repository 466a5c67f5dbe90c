// SPDX-License-Identifier: Apache-2.0
#include "worker/llm/llm_counter.hpp"

#include <algorithm>
#include <deque>
#include <unordered_map>
#include <utility>

#include "pipeline/base/assert.hpp"
#include "pipeline/text/semantic/semantic_key.hpp"
#include "worker/http/url.hpp"
#include "worker/llm/protocol.hpp"

namespace ba::llm {
namespace {

constexpr int kQuestionsMax = 32;  ///< to one model's endpoint, at once
constexpr int kWaitingMax = 1'000;
constexpr int kOk = 200;
constexpr int kBadRequest = 400;
constexpr int kUnauthorized = 401;
constexpr int kForbidden = 403;
constexpr int kTooLarge = 413;
constexpr int kUnprocessable = 422;

using Done = std::function<void(ExactCount)>;

/// By their requests' hashes; the oldest is forgotten.
class KnownCounts {
 public:
  std::optional<std::int64_t> find(const std::string& hash) const {
    const auto found = counts_.find(hash);
    return found == counts_.end() ? std::nullopt : std::optional(found->second);
  }

  void put(const std::string& hash, std::int64_t tokens) {
    if (!counts_.try_emplace(hash, tokens).second) return;
    order_.push_back(hash);
    if (order_.size() <= kKnownCountsMax) return;
    counts_.erase(order_.front());
    order_.pop_front();
  }

 private:
  std::unordered_map<std::string, std::int64_t> counts_;
  std::deque<std::string> order_;
};

/// A model whose provider is asked.
struct CountedModel {
  ProviderConfig provider;
  ModelConfig model;
  CountApi api;
  std::unique_ptr<http::HttpEndpoint> endpoint;
  SteadyTime paused_until{};
};

/// A count that is there without a question: told soon.
class SoonCall final : public CountCall {
 public:
  SoonCall(Executor& executor, ExactCount count, Done done)
      : timer_(executor.after(Milliseconds(0), [count = std::move(count), done = std::move(done)] {
          const auto answer = done;  // which may destroy this closure
          answer(count);
        })) {}

 private:
  std::unique_ptr<Timer> timer_;
};

class Question final : public CountCall, private http::HttpReceiver {
 public:
  struct Asked {
    CountedModel& model;
    KnownCounts& known;
    const Clock& clock;
    Milliseconds timeout;
    std::string hash;
  };

  Question(Asked asked, std::string body, std::uint64_t affinity, Done done)
      : asked_(std::move(asked)), done_(std::move(done)) {
    http::HttpPost post;
    post.body = std::make_shared<const std::string>(std::move(body));
    post.affinity = affinity;
    post.deadline = asked_.clock.now() + asked_.timeout;
    http_ = asked_.model.endpoint->post(std::move(post), *this);
  }

 private:
  void on_head(http::HttpHead head) override { status_ = head.status; }

  http::HttpNext on_body(std::string_view piece) override {
    if (std::ssize(body_) + std::ssize(piece) > kCountAnswerBytesMax) return http::HttpNext::Abort;
    body_ += piece;
    return http::HttpNext::More;
  }

  void on_end(http::HttpEnd end) override {
    ExactCount count = read(end);
    if (count.tokens) asked_.known.put(asked_.hash, *count.tokens);
    // What it says of one request says nothing of others.
    const bool refused =
        status_ == kBadRequest || status_ == kTooLarge || status_ == kUnprocessable;
    if (!count.tokens && !refused) asked_.model.paused_until = asked_.clock.now() + kCountPause;
    const auto answer = std::move(done_);  // which may destroy this
    answer(std::move(count));
  }

  ExactCount read(const http::HttpEnd& end) const {
    const auto failed = [this](const std::string& why) {
      return ExactCount{CountOutcome::Failed, {}, asked_.model.api.url + " " + why};
    };
    if (!end.result) {
      const Error& error = end.result.error();
      if (error.code == ErrorCode::Timeout)
        return failed("didn't answer within " + std::to_string(asked_.timeout.count()) + " ms");
      return failed("didn't answer: " + (error.message.empty() ? error.detail : error.message));
    }
    const bool wants_key = status_ == kUnauthorized || status_ == kForbidden;
    if (wants_key && !asked_.model.api.trusted) return failed(kNoKeySent);
    if (status_ != kOk) return failed("answered HTTP " + std::to_string(status_));
    const Result<std::int64_t> tokens = read_count(body_);
    if (!tokens) return failed(tokens.error().message);
    if (*tokens <= 0) return failed("counted nothing");
    return {CountOutcome::Counted, *tokens, {}};
  }

  const Asked asked_;
  Done done_;
  int status_ = 0;
  std::string body_;
  std::unique_ptr<http::HttpCall> http_;
};

class LlmCounter final : public ExactCounter {
 public:
  LlmCounter(CountingModels models, LlmPorts ports) : given_(std::move(models)), ports_(ports) {}

  Result<void> open() {
    for (const auto& [name, api] : given_.apis) {
      const ModelConfig* model = given_.llm.model(name);
      BA_ASSERT(model != nullptr);
      CountedModel counted{*given_.llm.provider(model->provider), *model, api, nullptr};
      auto endpoint = ports_.http.open(endpoint_of(counted));
      if (!endpoint) return endpoint.error();
      counted.endpoint = std::move(*endpoint);
      models_.emplace(name, std::move(counted));
    }
    return {};
  }

  bool counts(const std::string& model) const override { return models_.contains(model); }

  std::unique_ptr<CountCall> count(const ModelRequest& request, Done done) override {
    CountedModel& model = models_.at(request.model);
    ProtocolContext context{model.provider, model.model, given_.llm.limits};
    // By what is durable alone: a memory of what was counted isn't one of what was sent.
    context.loose_thoughts =
        ThinkingBonds().loose(request, model.provider.protocol->thinking_rules(model.model));
    Result<std::string> body = request_to_count(model.api, request, context);
    if (!body) return soon({CountOutcome::Failed, {}, body.error().message}, std::move(done));
    std::string hash = sha256_hex_of(model.api.url + "\n" + *body);
    if (const auto known = known_.find(hash))
      return soon({CountOutcome::Known, *known, {}}, std::move(done));
    if (model.paused_until > ports_.clock.now())
      return soon({CountOutcome::Paused, {}, "it failed a moment ago"}, std::move(done));
    return std::make_unique<Question>(
        Question::Asked{model, known_, ports_.clock, given_.timeout, std::move(hash)},
        std::move(*body), request.affinity, std::move(done));
  }

 private:
  std::unique_ptr<CountCall> soon(ExactCount count, Done done) {
    return std::make_unique<SoonCall>(ports_.executor, std::move(count), std::move(done));
  }

  http::HttpEndpointConfig endpoint_of(const CountedModel& counted) const {
    const ProviderConfig& provider = counted.provider;
    http::HttpEndpointConfig config =
        provider_endpoint(provider, counted.api.url, count_headers(counted.api, provider));
    config.connect_timeout = std::min(provider.timeouts.connect, given_.timeout);
    config.first_byte_timeout = config.idle_timeout = config.total_timeout = given_.timeout;
    config.reply_bytes_max = kCountAnswerBytesMax;
    config.concurrency_max = kQuestionsMax;
    config.queue_max = kWaitingMax;
    return config;
  }

  const CountingModels given_;
  LlmPorts ports_;
  KnownCounts known_;
  std::map<std::string, CountedModel> models_;
};

}  // namespace

Result<std::unique_ptr<ExactCounter>> make_llm_counter(CountingModels models, LlmPorts ports) {
  auto counter = std::make_unique<LlmCounter>(std::move(models), ports);
  if (auto opened = counter->open(); !opened) return opened.error();
  return std::unique_ptr<ExactCounter>(std::move(counter));
}

}  // namespace ba::llm
