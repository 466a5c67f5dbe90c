#pragma once
// SPDX-License-Identifier: Apache-2.0
// A configured provider at work: its endpoint, the pause that one call's 429 or 529 makes for all
// of them, who is let in after it, and what it
// doesn't take any more. Owned by the client. Control thread only.

#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <string>

#include "pipeline/base/error.hpp"
#include "pipeline/base/time.hpp"
#include "worker/http/http_client.hpp"
#include "worker/llm/llm_config.hpp"
#include "worker/llm/protocol.hpp"

namespace ba::llm {

/// Who may send a request to a provider. Everybody, until the provider asks for a pause; when that
/// is over those who waited are let in gradually, or they would all come at once and be refused
/// again: one, and with each that is accepted one more. Owned by the provider; control thread only.
class RequestAdmission {
 public:
  /// So many at once that nobody is held back any more.
  static constexpr int kEverybody = 64;

  /// A call's place. Destroying it gives the place up.
  class Ticket {
   public:
    /// `let_in` is told of a place that enter() refused; not from inside enter(). It may be called
    /// while another call is being answered.
    Ticket(RequestAdmission& admission, std::function<void()> let_in)
        : admission_(admission), let_in_(std::move(let_in)) {}
    ~Ticket() { leave(); }
    Ticket(const Ticket&) = delete;
    Ticket& operator=(const Ticket&) = delete;

    /// Whether a request may be sent now; if not, `let_in` comes once, and then enter() is to be
    /// asked again.
    bool enter();

    /// The request was sent, and the provider takes it, or would have refused it by now.
    void accepted();

    /// The provider asks for a pause, which the caller keeps. Those that wait are let in, to see
    /// it.
    void refused();

    /// The request came to nothing, or isn't sent now.
    void leave();

   private:
    friend class RequestAdmission;
    enum class State { Outside, Waiting, Inside };

    RequestAdmission& admission_;
    const std::function<void()> let_in_;
    State state_ = State::Outside;
    std::uint64_t pause_ = 0;               ///< before which it went in
    std::list<Ticket*>::iterator place_{};  ///< while it waits
  };

  /// Whether not everybody may come, since a pause.
  bool slow() const { return slow_; }

  /// Requests that wait for a place.
  std::size_t waiting() const { return waiting_.size(); }

 private:
  bool has_room() const { return !slow_ || inside_ < most_; }
  void take_in(Ticket& ticket);
  void go_out(Ticket& ticket);
  void let_in();

  std::list<Ticket*> waiting_;
  bool slow_ = false;  ///< not everybody may come, since a pause
  int most_ = 1;       ///< at once, then
  int inside_ = 0;     ///< sent since the last pause, and neither accepted nor refused
  std::uint64_t pauses_ = 0;
};

class LlmProvider {
 public:
  static Result<std::unique_ptr<LlmProvider>> open(ProviderConfig config, const LlmLimits& limits,
                                                   http::HttpClient& http);

  const ProviderConfig& config() const { return config_; }
  const Protocol& protocol() const { return protocol_; }
  http::HttpEndpoint& endpoint() { return *endpoint_; }

  /// Nobody starts a request before `time`.
  void pause_until(SteadyTime time);
  SteadyTime paused_until() const { return paused_until_; }
  RequestAdmission& admission() { return admission_; }
  ThinkingBonds& thinking() { return thinking_; }

  /// What a model refuses in each request, so that it is left out before it is sent.
  void remember_refusal(const std::string& model, Error error);
  const Error* known_refusal(const std::string& model) const;  ///< null: none

 private:
  explicit LlmProvider(ProviderConfig config);

  ProviderConfig config_;
  const Protocol& protocol_;
  std::unique_ptr<http::HttpEndpoint> endpoint_;
  SteadyTime paused_until_{};
  RequestAdmission admission_;
  ThinkingBonds thinking_;
  std::map<std::string, Error> refusals_;  ///< by model
};

// How long to wait before a model is asked again, and whether to: the providers' own rules
// (x-should-retry, retry-after-ms, retry-after), else exponential back-off. Pure functions.

/// What the head of a failed reply adds to its error: retry_after, instead of one that the body
/// told, and the provider's word on whether to retry. Money that is spent stays spent whatever the
/// header says.
void apply_retry_headers(Error& error, const http::HttpHead& head, WallTime now);

/// The wait after try number `tries` (from 1) has failed with `error`; `random` is any 64 bits.
Milliseconds llm_retry_delay(const LlmRetry& retry, const Error& error, int tries,
                             std::uint64_t random);

}  // namespace ba::llm
