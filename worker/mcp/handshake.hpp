#pragma once
// SPDX-License-Identifier: Apache-2.0
// Finds out a server's era and agrees on a revision: `server/discover` first, `initialize` where
// that is not a modern server's answer (specification 2026-07-28, "Backward Compatibility" of both
// transports). Owned by a Session; control thread only.

#include <optional>

#include "worker/mcp/rpc_client.hpp"

namespace ba::mcp {

struct Agreement {
  ServerFacts facts;
  bool has_tools = false;
  bool tells_changes = false;  ///< of its list of tools
};

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

}  // namespace ba::mcp
