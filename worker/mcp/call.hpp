#pragma once
// SPDX-License-Identifier: Apache-2.0
// One call of a tool, with what the protocol makes of one: a second try with other headers, in a
// new session, or with the input that the server wants. None of those has had an effect before.
// Owned by whoever called; destroying it cancels. Control thread only.

#include "pipeline/base/lifetime.hpp"
#include "worker/mcp/mcp_session.hpp"

namespace ba::mcp {

inline constexpr int kInputRoundsMax = 8;

struct CallRequest {
  std::string tool;  ///< the server's own name
  Json arguments = Json::object();
  Milliseconds idle_timeout{60'000};    ///< without answer or progress
  Milliseconds total_timeout{600'000};  ///< of everything
};

class Call final : public ToolRun {
 public:
  using Done = std::function<void(RawToolResult)>;

  Call(const std::shared_ptr<Session>& session, CallRequest request, Done done);
  ~Call() override;
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

 private:
  void send(Session& session);
  void answered(Reply reply);
  void refused(const RpcError& error);
  void lost(const Lost& lost);
  void wants_input(const Json& result);
  void await_session(Session& session);
  void again();
  void finish(RawToolResult result);

  std::weak_ptr<Session> session_;
  const CallRequest request_;
  Done done_;
  Json retry_params_ = Json::object();  ///< inputResponses and requestState of this round only
  std::int64_t id_ = 0;                 ///< of the request under way; 0: none
  int input_rounds_ = 0;
  bool headers_refreshed_ = false;
  bool session_renewed_ = false;
  std::unique_ptr<Timer> total_;
  Lifetime lifetime_;
};

}  // namespace ba::mcp
