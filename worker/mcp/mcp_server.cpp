// SPDX-License-Identifier: Apache-2.0
#include "worker/mcp/mcp_server.hpp"

#include <algorithm>
#include <utility>

#include "worker/mcp/call_result.hpp"

namespace ba::mcp {
namespace {

constexpr int kDoublingsMax = 6;

/// Answers from a task of its own.
class FailedCall final : public ToolRun {
 public:
  FailedCall(Executor& executor, RawToolResult result, Call::Done done)
      : timer_(executor.after(Milliseconds(0), [result = std::move(result),
                                                done = std::move(done)] { done(result); })) {}

 private:
  std::unique_ptr<Timer> timer_;
};

}  // namespace

Server::Server(const McpServerConfig& config, const ServerPorts& ports,
               std::function<void(const ToolList&)> on_tools)
    : config_(config), ports_(ports), on_tools_(std::move(on_tools)) {}

Server::~Server() = default;

void Server::start() {
  state_ = State::Connecting;
  auto transport = ports_.make_transport(config_);
  if (!transport) return lost(transport.error());
  transport_ = std::move(*transport);
  session_ = std::make_shared<Session>(
      *transport_, ports_.executor, ports_.identity, SessionOptions{config_.connect_timeout, era_},
      Session::Events{[this](Result<ToolList> list) { connected(std::move(list)); },
                      [this](const ToolList& list) { on_tools_(list); },
                      [this](Error error) { lost(std::move(error)); }});
  session_->connect();
}

void Server::connected(Result<ToolList> list) {
  if (!list) return lost(list.error());
  settled_ = true;
  state_ = State::Ready;
  facts_ = session_->facts();
  era_ = facts_.era;
  failure_.clear();
  steady_ = ports_.executor.after(kSteadyAfter, [this] { failures_ = 0; });
  ports_.log.info("connected to a server of tools", {{"server", config_.name},
                                                     {"era", to_string(facts_.era)},
                                                     {"revision", facts_.revision},
                                                     {"tools", list->tools.size()}});
  on_tools_(*list);
}

/// Called by what is about to be destroyed, hence the task.
void Server::lost(Error error) {
  settled_ = true;
  const State before = std::exchange(state_, State::Down);
  if (before == State::Down || stopping_) return;
  // What was found out holds until it fails; a server that ends at a question it does not know is a
  // legacy one.
  const bool died_of_the_probe = session_ && session_->probing();
  if (before == State::Connecting) era_.reset();
  if (died_of_the_probe) era_ = Era::Legacy;
  failure_ = error.message;
  steady_.reset();
  ports_.log.warning("a server of tools is down",
                     {{"server", config_.name}, {"error", error.message}});
  ports_.executor.post(lifetime_.guarded([this] {
    if (stopping_) return;
    tear_down();
    reconnect_later();
  }));
}

void Server::tear_down() {
  if (session_) {
    const RpcCounts& counts = session_->rpc().counts();
    counts_.unexpected_answers += counts.unexpected_answers;
    counts_.garbage += counts.garbage;
    counts_.declined_requests += counts.declined_requests;
  }
  session_.reset();
  if (!transport_) return;
  ending_ = std::move(transport_);
  ending_->stop(lifetime_.guarded([this] { ending_.reset(); }));
}

void Server::reconnect_later() {
  const int doublings = std::min(failures_++, kDoublingsMax);
  const Milliseconds delay = std::min(kReconnectFirst * (1 << doublings), kReconnectMost);
  reconnect_ = ports_.executor.after(delay, [this] { start(); });
}

std::unique_ptr<ToolRun> Server::call(CallRequest request, Call::Done done) {
  if (state_ == State::Ready)
    return std::make_unique<Call>(session_, std::move(request), std::move(done));
  Error error;
  error.code = ErrorCode::Unavailable;
  return std::make_unique<FailedCall>(ports_.executor, failure_of(error), std::move(done));
}

void Server::stop(std::function<void()> done) {
  stopping_ = true;
  state_ = State::Down;
  reconnect_.reset();
  steady_.reset();
  session_.reset();
  if (!transport_) return ports_.executor.post(std::move(done));
  transport_->stop(std::move(done));
}

}  // namespace ba::mcp
