#pragma once
// SPDX-License-Identifier: Apache-2.0
// A server without a wire, under virtual time: a test says what it answers to each method.

#include <deque>
#include <memory>

#include "tests/support/virtual_executor.hpp"
#include "worker/mcp/mcp_transport.hpp"

namespace ba::mcp {

/// What the server does with a request; null: nothing, ever.
using Serve = std::function<void(std::int64_t id, const Json& params)>;

/// Shared by a test and the transport that it has given away.
struct FakeServer {
  struct Sent {
    std::string method;
    Json message;
    HeaderList headers;
  };

  std::map<std::string, Serve> methods;
  std::vector<Sent> sent;
  std::vector<std::int64_t> dropped;
  bool http = false;
  bool listening = false;
  int stopped = 0;
  TransportListener* listener = nullptr;
  VirtualExecutor* time = nullptr;

  void answer(std::int64_t id, const Json& result) {
    say(http ? id : kSharedStream, Json{{"jsonrpc", "2.0"}, {"id", id}, {"result", result}});
  }
  void refuse(std::int64_t id, std::int64_t code, const Json& data = Json()) {
    Json error = {{"code", code}, {"message", "no"}};
    if (!data.is_null()) error["data"] = data;
    say(http ? id : kSharedStream, Json{{"jsonrpc", "2.0"}, {"id", id}, {"error", error}});
  }
  void say(std::int64_t stream, const Json& message) {
    time->post([this, stream, text = compact(message)] {
      if (listener != nullptr) listener->on_message(stream, read_rpc_message(text));
    });
  }
  void lose(std::int64_t id, ErrorCode code, int status = 0, bool session_gone = false) {
    Lost lost;
    lost.error.code = code;
    lost.status = status;
    lost.session_gone = session_gone;
    time->post([this, id, lost] {
      if (listener != nullptr) listener->on_lost(id, lost);
    });
  }
  void die() {
    Error error;
    error.code = ErrorCode::Unavailable;
    error.message = "it ended (exit code 1)";
    time->post([this, error] {
      if (TransportListener* const told = std::exchange(listener, nullptr)) told->on_closed(error);
    });
  }

  /// A modern server with these tools.
  void be_modern(const Json& tools, const Json& capabilities = {{"tools", Json::object()}}) {
    methods["server/discover"] = [this, capabilities](std::int64_t id, const Json&) {
      answer(id, {{"supportedVersions", {"2026-07-28"}}, {"capabilities", capabilities}});
    };
    list(tools);
  }
  void be_legacy(const Json& tools, const std::string& revision = "2025-11-25") {
    methods["server/discover"] = [this](std::int64_t id, const Json&) { refuse(id, -32601); };
    methods["initialize"] = [this, revision](std::int64_t id, const Json&) {
      answer(id, {{"protocolVersion", revision},
                  {"capabilities", {{"tools", {{"listChanged", true}}}}},
                  {"serverInfo", {{"name", "old"}, {"version", "1"}}}});
    };
    list(tools);
  }
  /// A list of one is written like the one.
  void list(const Json& tools) {
    const Json all = tools.is_array() ? tools : Json::array({tools});
    methods["tools/list"] = [this, all](std::int64_t id, const Json&) {
      answer(id, {{"tools", all}});
    };
  }

  std::vector<std::string> methods_sent() const {
    std::vector<std::string> names;
    for (const Sent& one : sent) names.push_back(one.method);
    return names;
  }
  const Sent& last(const std::string& method) const {
    for (auto one = sent.rbegin(); one != sent.rend(); ++one)
      if (one->method == method) return *one;
    static const Sent none;
    return none;
  }
};

class FakeTransport final : public Transport {
 public:
  explicit FakeTransport(FakeServer& server) : server_(server) {}
  ~FakeTransport() override { server_.listener = nullptr; }

  void start(TransportListener& listener) override { server_.listener = &listener; }
  void send(Outgoing message) override {
    const Json json = *parse_json(message.body);
    const std::string method = text_member(json, "method").value_or("");
    server_.sent.push_back({method, json, message.headers});
    const auto serve = server_.methods.find(method);
    const Json* params = member(json, "params");
    if (serve != server_.methods.end() && serve->second)
      serve->second(message.id, params != nullptr ? *params : Json());
  }
  void drop(std::int64_t id) override { server_.dropped.push_back(id); }
  bool is_http() const override { return server_.http; }
  void listen(HeaderList) override { server_.listening = true; }
  void stop(std::function<void()> done) override {
    server_.listener = nullptr;
    ++server_.stopped;
    server_.time->post(std::move(done));
  }

 private:
  FakeServer& server_;
};

inline Json tool_json(const std::string& name) {
  return {{"name", name}, {"description", "d"}, {"inputSchema", {{"type", "object"}}}};
}

}  // namespace ba::mcp
