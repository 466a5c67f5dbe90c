#pragma once
// SPDX-License-Identifier: Apache-2.0
// A process's connection to the server of tools, in place of HTTP or of a child's pipes: requests
// and answers get lost and come late, a pipe breaks with its child. Owned by the product's client.

#include <set>

#include "tests/simulation/tool_server.hpp"

namespace ba::sim {

class ToolServerLink final : public mcp::Transport {
 public:
  ToolServerLink(ToolServer& server, World& world, Process& process, const LinkFaults& faults);
  ~ToolServerLink() override;

  void start(mcp::TransportListener& listener) override { listener_ = &listener; }
  void send(mcp::Outgoing message) override;
  void drop(std::int64_t id) override { waiting_.erase(id); }
  bool is_http() const override { return server_.over_http(); }
  void listen(mcp::HeaderList) override {}  // this server says nothing by itself
  void stop(std::function<void()> done) override;

  /// The child at the other end does.
  void die();

 private:
  ServerRequest request_of(const mcp::Outgoing& message);
  void tell(std::int64_t id, const mcp::Json& message);
  void answered(std::int64_t id, std::optional<ServerAnswer> answer);
  void unheard(std::int64_t id);

  ToolServer& server_;
  World& world_;
  Process& process_;
  const LinkFaults& faults_;
  mcp::TransportListener* listener_ = nullptr;
  std::string session_;
  std::set<std::int64_t> waiting_;  ///< requests that an answer is wanted to
  const std::shared_ptr<ServerLife> life_ =
      std::make_shared<ServerLife>();  ///< shared with requests
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace ba::sim
