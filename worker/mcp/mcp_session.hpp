// SPDX-License-Identifier: Apache-2.0
#pragma once
// One connection to a server in the protocol's sense: the handshake, the list of tools and its
// refreshing, and calls. Shared by its Server and, weakly, by the calls under way; control thread
// only.

#include <optional>

#include "pipeline/core/tool/tool.hpp"
#include "worker/mcp/rpc_client.hpp"
#include "worker/mcp/tool_listing.hpp"

namespace ba::mcp {

struct Agreement {
  ServerFacts facts;
  bool has_tools = false;
  bool tells_changes = false;  ///< of its list of tools
};

/// Finds out a server's era and agrees on a revision: `server/discover` first, `initialize` where
/// that is not a modern server's answer (specification 2026-07-28, "Backward Compatibility" of both
/// transports). Owned by a Session.
class Handshake {
 public:
  using Done = std::function<void(Result<Agreement>)>;

  /// `known`: the era found earlier; a legacy server is then not probed again.
  Handshake(RpcClient& rpc, Milliseconds timeout, std::optional<Era> known, Done done);

  void start();

  /// Whether the first question is still open: a server that dies of it is a legacy one.
  bool probing() const { return probing_; }

 private:
  void discover();
  void discovered(Reply reply);
  void refused(const RpcError& error);
  void initialize();
  void initialized(Reply reply);
  void agree(Era era, const std::string& revision, const Json& result);
  void fail(ErrorCode code, std::string message);

  RpcClient& rpc_;
  const Milliseconds timeout_;
  const std::optional<Era> known_;
  Done done_;
  bool probing_ = false;
  bool repeated_ = false;  ///< the probe, after the server named its revisions
};

/// A list that may change all the time is not asked for more often.
inline constexpr Milliseconds kRefreshPause{1000};
inline constexpr Milliseconds kFreshForLeast{10'000};  ///< whatever a server's ttlMs says
inline constexpr Milliseconds kFreshForMost{86'400'000};
inline constexpr Milliseconds kListenAgain{30'000};  ///< after a subscription ended

struct SessionOptions {
  Milliseconds connect_timeout{10'000};  ///< of the handshake, and of each page of a list
  std::optional<Era> known_era;
};

class Session final {
 public:
  struct Events {
    std::function<void(Result<ToolList>)> on_connected;  ///< once
    std::function<void(ToolList)> on_list;               ///< asked for again
    std::function<void(Error)> on_closed;
  };

  /// References outlive the session.
  Session(Transport& transport, Executor& executor, ClientIdentity identity, SessionOptions options,
          Events events);
  ~Session();

  void connect();

  RpcClient& rpc() { return rpc_; }
  Executor& executor() { return executor_; }
  const ServerFacts& facts() const { return agreement_.facts; }
  bool probing() const { return handshake_ && handshake_->probing(); }

  /// What the last list says of a tool; null when it isn't in it.
  const ToolDefinition* find(const std::string& tool) const;

  /// Asks for the list now; `done` once it is there, or can't be had.
  void refresh(std::function<void()> done);

  /// Asks for a new session after the server forgot ours. `done(false)`: there is none, and the
  /// connection is closed.
  void renew(std::function<void(bool)> done);
  /// A request would be in no session, and refused.
  bool renewing() const { return renewing_; }

 private:
  void agreed(Result<Agreement> agreement);
  void listed(Result<ToolList> list);
  void refresh_listed(Result<ToolList> list);
  void take(const ToolList& list);
  void renewed(bool good);
  void on_notification(const RpcMessage& message);
  void refresh_soon(Milliseconds delay);
  void subscribe();

  Executor& executor_;
  const SessionOptions options_;
  const Events events_;
  RpcClient rpc_;
  Agreement agreement_;
  std::map<std::string, ToolDefinition> tools_;
  std::unique_ptr<Handshake> handshake_;
  std::unique_ptr<ToolListing> listing_;
  bool refreshing_ = false;
  bool refresh_again_ = false;
  bool renewing_ = false;
  std::vector<std::function<void()>> want_list_;
  std::vector<std::function<void(bool)>> want_session_;
  std::unique_ptr<Timer> refresh_timer_;
  std::unique_ptr<Timer> expiry_timer_;
  std::unique_ptr<Timer> listen_timer_;
};

}  // namespace ba::mcp
