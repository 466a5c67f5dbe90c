#pragma once
// SPDX-License-Identifier: Apache-2.0
// The server without its sockets: a request in, the bytes of an answer out. One thread.

#include <string>
#include <string_view>

#include "tests/scripted_model/anthropic_reader.hpp"
#include "tests/scripted_model/call_counts.hpp"
#include "tests/scripted_model/headers.hpp"
#include "tests/scripted_model/http_answer.hpp"
#include "tests/scripted_model/openai_request.hpp"
#include "tests/scripted_model/player.hpp"
#include "tests/scripted_model/responses_request.hpp"

namespace ba::scripted {

struct ServiceOptions {
  std::string api_key;                 ///< empty: any key or none
  std::chrono::milliseconds delay{0};  ///< before each accepted reply
  std::chrono::milliseconds event_delay{0};
  BenchOptions bench;
};

class Service {
 public:
  Service(ServiceOptions options, Script script);

  Answer answer(std::string_view method, std::string_view target, const RequestHeaders& headers,
                std::string_view body);
  CallCounts& counts() { return counts_; }

 private:
  Answer answer_model(Protocol protocol, const RequestHeaders& headers, std::string_view body);
  Refusal read(Protocol protocol, const RequestHeaders& headers, std::string_view body);
  Answer reject(Protocol protocol, const Rejection& rejection);
  Answer fail_on_purpose(Protocol protocol, const Fault& fault);
  Answer send(const Play& play, std::string_view body);

  ServiceOptions options_;
  Player player_;
  AnthropicRequests anthropic_;
  OpenAiRequests openai_;
  ResponsesRequests responses_;
  CallCounts counts_;
  JsonDocument document_;
  Request request_;
};

}  // namespace ba::scripted
