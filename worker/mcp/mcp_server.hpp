#pragma once
// SPDX-License-Identifier: Apache-2.0
// One configured server, kept connected: connects, and after a failure again, waiting longer each
// time. Calls that find it down fail at once. Owned by McpServers; control thread only.

#include "pipeline/base/lifetime.hpp"
#include "pipeline/core/port/log.hpp"
#include "worker/mcp/call.hpp"
#include "worker/mcp/mcp_config.hpp"

namespace ba::mcp {

inline constexpr Milliseconds kReconnectFirst{1000};
inline constexpr Milliseconds kReconnectMost{60'000};
inline constexpr Milliseconds kSteadyAfter{10'000};  ///< a connection that held so long was good

using MakeTransport = std::function<Result<std::unique_ptr<Transport>>(const McpServerConfig&)>;

/// References outlive the server.
struct ServerPorts {
  Executor& executor;
  Log& log;
  const MakeTransport& make_transport;
  ClientIdentity identity = {};
};

class Server {
 public:
  enum class State { Connecting, Ready, Down };

  /// `on_tools`: a list, at each connection and when it has changed.
  Server(const McpServerConfig& config, const ServerPorts& ports,
         std::function<void(const ToolList&)> on_tools);
  ~Server();

  void start();
  void stop(std::function<void()> done);

  /// Fails at once, through `done`, when there is no connection.
  std::unique_ptr<ToolRun> call(CallRequest request, Call::Done done);

  const McpServerConfig& config() const { return config_; }
  Executor& executor() const { return ports_.executor; }
  State state() const { return state_; }
  bool settled() const { return settled_; }  ///< the first try is over
  const ServerFacts& facts() const { return facts_; }
  const std::string& failure() const { return failure_; }  ///< why it is down
  const RpcCounts& counts() const { return counts_; }

 private:
  void connected(Result<ToolList> list);
  void lost(Error error);
  void tear_down();
  void reconnect_later();

  const McpServerConfig& config_;
  const ServerPorts ports_;
  const std::function<void(const ToolList&)> on_tools_;
  State state_ = State::Connecting;
  bool settled_ = false;
  bool stopping_ = false;
  ServerFacts facts_;
  std::string failure_;
  RpcCounts counts_;
  std::optional<Era> era_;
  int failures_ = 0;  ///< one after the other
  std::unique_ptr<Transport> transport_;
  std::shared_ptr<Session> session_;
  std::unique_ptr<Transport> ending_;
  std::unique_ptr<Timer> reconnect_;
  std::unique_ptr<Timer> steady_;
  Lifetime lifetime_;
};

}  // namespace ba::mcp
