#pragma once
// SPDX-License-Identifier: Apache-2.0
// Reads POST /v1/messages as strictly as the provider does, or stricter where leniency would hide a
// fault of the client. One thread; keeps memory from request to request.

#include <string>
#include <utility>

#include "tests/scripted_model/anthropic_messages.hpp"
#include "tests/scripted_model/headers.hpp"
#include "tests/scripted_model/rejection.hpp"
#include "tests/scripted_model/request.hpp"
#include "tests/scripted_model/tool_list.hpp"

namespace ba::scripted {

class AnthropicRequests {
 public:
  /// With a non-empty key each request must carry it.
  explicit AnthropicRequests(std::string api_key) : api_key_(std::move(api_key)) {}

  /// Checks headers and body; on success `request` is filled and points into `document`.
  Refusal read(const RequestHeaders& headers, const JsonDocument& document, Request& request);

 private:
  Refusal check_headers(const RequestHeaders& headers) const;
  Refusal check_options(const JsonValue& root, bool sampling_allowed, Request& request) const;
  Refusal check_system(const JsonValue& system, Request& request) const;
  Refusal check_tools(const JsonValue& tools, Request& request);

  std::string api_key_;
  KnownToolLists known_tools_;
  AnthropicMessages messages_;
};

}  // namespace ba::scripted
