#pragma once
// SPDX-License-Identifier: Apache-2.0
// Reads POST /v1/chat/completions as strictly as the provider does, or stricter where leniency
// would hide a fault of the client. One thread; keeps memory from request to request.

#include <string>
#include <utility>
#include <vector>

#include "tests/scripted_model/headers.hpp"
#include "tests/scripted_model/openai_messages.hpp"
#include "tests/scripted_model/rejection.hpp"
#include "tests/scripted_model/request.hpp"
#include "tests/scripted_model/tool_list.hpp"

namespace ba::scripted {

class OpenAiRequests {
 public:
  /// With a non-empty key each request must carry it.
  explicit OpenAiRequests(std::string api_key) : api_key_(std::move(api_key)) {}

  /// Checks headers and body; on success `request` is filled and points into `document`.
  Refusal read(const RequestHeaders& headers, const JsonDocument& document, Request& request);

 private:
  Refusal check_options(const JsonValue& root, Request& request) const;
  Refusal check_tools(const JsonValue& tools, Request& request);
  Refusal check_tool(const JsonValue& tool, const Place& place,
                     std::vector<std::string_view>& names) const;

  std::string api_key_;
  KnownToolLists known_tools_;
  OpenAiMessages messages_;
};

}  // namespace ba::scripted
