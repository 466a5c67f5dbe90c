// SPDX-License-Identifier: Apache-2.0
#include "worker/mcp/mcp_session.hpp"

#include <algorithm>
#include <utility>

namespace ba::mcp {

Session::Session(Transport& transport, Executor& executor, ClientIdentity identity,
                 SessionOptions options, Events events)
    : executor_(executor),
      options_(options),
      events_(std::move(events)),
      rpc_(transport, executor, std::move(identity),
           {[this](const RpcMessage& message) { on_notification(message); },
            [this](Error error) {
              renewed(false);
              events_.on_closed(std::move(error));
            }}) {
  transport.start(rpc_);
}

Session::~Session() = default;

void Session::connect() {
  handshake_ = std::make_unique<Handshake>(
      rpc_, options_.connect_timeout, options_.known_era,
      [this](Result<Agreement> agreement) { agreed(std::move(agreement)); });
  handshake_->start();
}

void Session::agreed(Result<Agreement> agreement) {
  if (!agreement) return events_.on_connected(agreement.error());
  agreement_ = std::move(*agreement);
  if (!agreement_.has_tools) {
    ToolList none;
    none.warnings.emplace_back("it declares no tools");
    return events_.on_connected(std::move(none));
  }
  if (agreement_.tells_changes && agreement_.facts.era == Era::Modern) subscribe();
  const bool asks = rpc_.identity().elicitation != Elicitation::Decline;
  if ((agreement_.tells_changes || asks) && agreement_.facts.era == Era::Legacy) rpc_.listen();
  listing_ = std::make_unique<ToolListing>(
      rpc_, options_.connect_timeout, [this](Result<ToolList> list) { listed(std::move(list)); });
  listing_->start();
}

void Session::listed(Result<ToolList> list) {
  if (list) take(*list);
  events_.on_connected(std::move(list));
}

void Session::take(const ToolList& list) {
  tools_.clear();
  for (const ToolDefinition& tool : list.tools) tools_.emplace(tool.name, tool);
  // 0 says that it may have changed by now: whoever relies on that must ask each time.
  if (!list.fresh_for || list.fresh_for->count() == 0) return;
  expiry_timer_ = executor_.after(std::clamp(*list.fresh_for, kFreshForLeast, kFreshForMost),
                                  [this] { refresh([] {}); });
}

const ToolDefinition* Session::find(const std::string& tool) const {
  const auto found = tools_.find(tool);
  return found == tools_.end() ? nullptr : &found->second;
}

// ---- the list, again ---------------------------------------------------------------------------

void Session::refresh(std::function<void()> done) {
  want_list_.push_back(std::move(done));
  if (std::exchange(refreshing_, true)) return;
  listing_ = std::make_unique<ToolListing>(
      rpc_, options_.connect_timeout,
      [this](Result<ToolList> list) { refresh_listed(std::move(list)); });
  listing_->start();
}

void Session::refresh_listed(Result<ToolList> list) {
  refreshing_ = false;
  if (list) {
    take(*list);
    events_.on_list(std::move(*list));
  }
  if (std::exchange(refresh_again_, false)) refresh_soon(kRefreshPause);
  for (const auto& done : std::exchange(want_list_, {})) done();
}

void Session::refresh_soon(Milliseconds delay) {
  if (refresh_timer_) return;
  refresh_timer_ = executor_.after(delay, [this] {
    const std::unique_ptr<Timer> rung = std::move(refresh_timer_);
    refresh([] {});
  });
}

void Session::on_notification(const RpcMessage& message) {
  if (message.method != "notifications/tools/list_changed") return;
  if (refreshing_)
    refresh_again_ = true;
  else
    refresh_soon(kRefreshPause);
}

/// A request without end, whose stream brings the notifications.
void Session::subscribe() {
  RpcRequest request;
  request.method = "subscriptions/listen";
  request.params = {{"notifications", {{"toolsListChanged", true}}}};
  rpc_.request(std::move(request), [this](const Reply& reply) {
    if (std::holds_alternative<RpcError>(reply)) return;  // it doesn't, then
    listen_timer_ = executor_.after(kListenAgain, [this] { subscribe(); });
  });
}

// ---- a new session -----------------------------------------------------------------------------

void Session::renew(std::function<void(bool)> done) {
  want_session_.push_back(std::move(done));
  if (std::exchange(renewing_, true)) return;
  handshake_ = std::make_unique<Handshake>(
      rpc_, options_.connect_timeout, Era::Legacy, [this](const Result<Agreement>& agreement) {
        // Without a session the server would refuse everything from now on.
        agreement ? renewed(true) : rpc_.close(agreement.error());
      });
  handshake_->start();
}

void Session::renewed(bool good) {
  renewing_ = false;
  for (const auto& done : std::exchange(want_session_, {})) done(good);
}

}  // namespace ba::mcp
