#pragma once
// SPDX-License-Identifier: Apache-2.0
// One call of a model with all its tries. Owned by whoever asked; destroying it closes the request.
// Control thread only.

#include <memory>
#include <string>

#include "pipeline/base/rare.hpp"
#include "worker/http/sse_parser.hpp"
#include "worker/llm/kept_request.hpp"
#include "worker/llm/llm_client.hpp"
#include "worker/llm/llm_provider.hpp"

namespace ba::llm {

/// What a call needs besides its request; all of it outlives the call.
struct LlmCallContext {
  LlmProvider& provider;
  const ModelConfig& model;
  const LlmConfig& config;
  LlmPorts& ports;
};

class LlmCall final : public ModelCall, private http::HttpReceiver {
 public:
  LlmCall(const LlmCallContext& context, const ModelRequest& request, ModelListener listener);
  LlmCall(const LlmCall&) = delete;
  LlmCall& operator=(const LlmCall&) = delete;

  /// Starts the first try, or answers soon that there is nothing to try.
  void start(Result<WrittenRequest> request);

  void go_on() override;
  bool request_out() const override { return http_ != nullptr; }

 private:
  void begin_try();
  void send();
  void wait_for_place();
  void on_head(http::HttpHead head) override;
  http::HttpNext on_body(std::string_view piece) override;
  void on_end(http::HttpEnd end) override;

  void begin_stream();
  void look_at_body(std::string_view piece);
  http::HttpNext take_stream(std::string_view piece);
  http::HttpNext refuse(Error error);
  Result<ProtocolReply> read(const http::HttpEnd& end);
  void succeed(ProtocolReply result);
  const ModelPrices* prices() const;
  void fail(Error error);
  void try_again_or_give_up(Error error);
  bool worth_another_try(const Error& error);
  void retry_after(Milliseconds delay, const Error& error);
  void give_up(Error error);

  LlmCallContext context_;
  ProtocolContext protocol_context_;
  ModelListener listener_;
  std::uint64_t affinity_;
  ThinkingBonds::Place place_;
  int price_reading_;
  SteadyTime started_;
  SteadyTime deadline_;
  WrittenRequest request_;
  RequestAdmission::Ticket ticket_;
  std::unique_ptr<Timer> unrefused_;  ///< where others wait for this one's answer
  int tries_ = 0;
  int wasted_ = 0;
  int refused_ = 0;  ///< of the tries, without a cost
  int malformed_ = 0;
  bool repaired_ = false;
  Rare<Error> loss_;  ///< of the last try, until go_on()

  // Of the try under way.
  http::HttpHead head_;
  std::unique_ptr<StreamReader> reader_;  ///< when the reply is streamed
  Rare<http::SseParser> events_;
  bool looked_at_ = false;  ///< the body has begun, and said what it is
  std::string reply_body_;
  Rare<Error> refusal_;  ///< why we ended the try ourselves
  std::unique_ptr<http::HttpCall> http_;
  std::unique_ptr<Timer> timer_;
};

}  // namespace ba::llm
