#pragma once
// SPDX-License-Identifier: Apache-2.0
// A history's server of tools: one that all processes reach over HTTP, or a child of each at the
// end of its pipe; of the protocol's modern or legacy era; trusted or a stranger. Of its tool
// `send` every run is an effect, `ask` only reads. It fails before an effect, is slow, forgets
// sessions, and dies with requests under way, before their effect or after. Owned by the history.

#include <memory>
#include <variant>

#include "tests/simulation/tools.hpp"
#include "worker/mcp/mcp_config.hpp"
#include "worker/mcp/mcp_transport.hpp"

namespace ba::sim {

class ToolServerLink;

/// From a start of the server to its end; a request doesn't outlive the one it came to.
struct ServerLife {
  bool over = false;
};

struct ServerRequest {
  std::string method;
  mcp::Json params;
  std::string session;                  ///< that it is in, over HTTP
  std::shared_ptr<ServerLife> life;     ///< of the child at the pipe's end, shared with its link
  std::function<void(mcp::Json)> tell;  ///< a message before the answer
  std::shared_ptr<void> under_way;      ///< as long as it may have its effect
};

struct ServerAnswer {
  std::variant<mcp::Json, mcp::Lost> what;  ///< `result` or `error`, without envelope
  std::string session;                      ///< that it opens
};

class ToolServer {
 public:
  ToolServer(ToolStage& stage, const Scenario& scenario);

  const mcp::McpConfig& config() const { return config_; }
  bool over_http() const { return scenario_.served_over_http; }

  void arrived(ServerRequest request, const Reply<ServerAnswer>& reply);
  /// A call of a tool is sent: what says so until it can have no effect any more.
  std::shared_ptr<void> on_its_way(const mcp::Json& params);

  void restart();
  void heal();

  // Of the children.
  void opened(ToolServerLink& link) { links_.push_back(&link); }
  void closed(ToolServerLink& link) { std::erase(links_, &link); }

 private:
  ServerAnswer answer_to(const ServerRequest& request);
  ServerAnswer shake_hands();
  std::optional<ServerAnswer> refusal(const ServerRequest& request);
  void call(ServerRequest request, const Reply<ServerAnswer>& reply);
  void have_effect(const ToolInvocation& call);
  void lost_under_way(const Reply<ServerAnswer>& reply);
  void start();
  bool hit(Fault fault, int one_in);

  ToolStage& stage_;
  World& world_;
  const Scenario& scenario_;
  const mcp::McpConfig config_;
  std::shared_ptr<ServerLife> life_ = std::make_shared<ServerLife>();  ///< over HTTP
  std::set<std::string> sessions_;
  int last_session_ = 0;
  std::set<int> turned_away_;  ///< runs whose session was gone
  std::vector<ToolServerLink*> links_;
};

}  // namespace ba::sim
