// SPDX-License-Identifier: Apache-2.0
#include "tests/simulation/tool_server_link.hpp"

#include <utility>

namespace ba::sim {
namespace {

Error broken() {
  Error error;
  error.code = ErrorCode::Unavailable;
  error.message = "the connection broke";
  return error;
}

}  // namespace

ToolServerLink::ToolServerLink(ToolServer& server, World& world, Process& process,
                               const LinkFaults& faults)
    : server_(server), world_(world), process_(process), faults_(faults) {
  server_.opened(*this);
}

ToolServerLink::~ToolServerLink() { server_.closed(*this); }

/// Notifications are not sent: the server needs none.
void ToolServerLink::send(mcp::Outgoing message) {
  if (listener_ == nullptr || message.id == 0) return;
  if (!process_.acts("ask a server of tools")) return;
  const std::int64_t id = message.id;
  waiting_.insert(id);
  if (message.opens_session) session_.clear();
  sim::send<ServerAnswer>(
      world_, process_, faults_,
      [&server = server_, request = request_of(message)](const Reply<ServerAnswer>& reply) {
        server.arrived(request, reply);
      },
      [this, id, alive = std::weak_ptr(alive_)](std::optional<ServerAnswer> answer) {
        if (alive.lock()) answered(id, std::move(answer));
      });
}

ServerRequest ToolServerLink::request_of(const mcp::Outgoing& message) {
  const mcp::Json body = mcp::parse_json(message.body).value();
  ServerRequest request;
  request.method = mcp::text_member(body, "method").value_or("");
  if (const mcp::Json* params = mcp::member(body, "params")) request.params = *params;
  request.session = session_;
  request.life = life_;
  request.tell = [this, id = message.id, alive = std::weak_ptr(alive_)](const mcp::Json& what) {
    if (alive.lock()) tell(id, what);
  };
  if (request.method == "tools/call") request.under_way = server_.on_its_way(request.params);
  return request;
}

void ToolServerLink::tell(std::int64_t id, const mcp::Json& message) {
  world_.at(world_.up_to(faults_.delay_max.count()), &process_,
            [this, id, text = mcp::compact(message), alive = std::weak_ptr(alive_)] {
              if (!alive.lock() || listener_ == nullptr || !waiting_.contains(id)) return;
              listener_->on_message(is_http() ? id : mcp::kSharedStream,
                                    mcp::read_rpc_message(text));
            });
}

void ToolServerLink::answered(std::int64_t id, std::optional<ServerAnswer> answer) {
  if (listener_ == nullptr || waiting_.erase(id) == 0) return;
  if (!answer) return unheard(id);
  if (!answer->session.empty()) session_ = answer->session;
  if (const auto* lost = std::get_if<mcp::Lost>(&answer->what))
    return listener_->on_lost(id, *lost);
  mcp::Json& message = std::get<mcp::Json>(answer->what);
  message["jsonrpc"] = "2.0";
  message["id"] = id;
  listener_->on_message(is_http() ? id : mcp::kSharedStream,
                        mcp::read_rpc_message(mcp::compact(message)));
}

/// A stream breaks, or stays open and silent; a child that says nothing has hung or is dead.
void ToolServerLink::unheard(std::int64_t id) {
  if (world_.dice.hit(500)) return;
  if (!is_http()) return die();
  mcp::Lost lost;
  lost.error = broken();
  lost.error.maybe_done = true;
  listener_->on_lost(id, lost);
}

void ToolServerLink::die() {
  if (std::exchange(life_->over, true) || listener_ == nullptr) return;
  world_.mark(Mark::PipeBroke);
  world_.at(world_.up_to(faults_.delay_max.count()), &process_,
            [this, alive = std::weak_ptr(alive_)] {
              if (!alive.lock()) return;
              if (auto* const told = std::exchange(listener_, nullptr)) told->on_closed(broken());
            });
}

void ToolServerLink::stop(std::function<void()> done) {
  listener_ = nullptr;
  process_.post(std::move(done));
}

}  // namespace ba::sim
