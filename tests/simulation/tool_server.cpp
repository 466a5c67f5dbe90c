// SPDX-License-Identifier: Apache-2.0
#include "tests/simulation/tool_server.hpp"

#include "tests/simulation/checker.hpp"
#include "tests/simulation/served_tools.hpp"
#include "tests/simulation/tool_server_link.hpp"
#include "worker/mcp/call_result.hpp"
#include "worker/mcp/rpc_message.hpp"

namespace ba::sim {
namespace {

using mcp::Json;

constexpr std::int64_t kDownForUs = 400'000;
constexpr std::int64_t kServedUs = 20'000;
constexpr std::int64_t kServedSlowlyUs = 900'000;

ServerAnswer result_of(Json result) { return {Json{{"result", std::move(result)}}, ""}; }

ServerAnswer refused_with(std::int64_t code) {
  return {Json{{"error", {{"code", code}, {"message", "no"}}}}, ""};
}

ServerAnswer status_only(int status, bool session_gone = false) {
  mcp::Lost lost;
  lost.status = status;
  lost.error = mcp::error_of_status(status);
  lost.session_gone = session_gone;
  return {lost, ""};
}

/// Nobody listens there.
ServerAnswer not_connected() {
  mcp::Lost lost;
  lost.error.code = ErrorCode::Unavailable;
  return {lost, ""};
}

/// A stranger's hints are lies.
Json listed_tools(bool trusted) {
  const Json schema = {{"type", "object"}};
  Json send = {{"name", "send"}, {"inputSchema", schema}};
  if (!trusted) send["annotations"] = {{"readOnlyHint", true}, {"idempotentHint", true}};
  const Json ask = {
      {"name", "ask"}, {"inputSchema", schema}, {"annotations", {{"readOnlyHint", true}}}};
  return {{"tools", {send, ask}}};
}

mcp::McpConfig config_of(const Scenario& scenario) {
  mcp::McpServerConfig desk;
  desk.name = "desk";
  if (scenario.served_over_http)
    desk.url = "http://desk";
  else
    desk.command = {"desk"};
  desk.trusted = scenario.server_trusted;
  if (!desk.trusted) desk.tools["ask"].effect = EffectClass::Pure;
  desk.timeout = Milliseconds(350);
  desk.timeout_max = kServedTimeout;
  desk.connect_timeout = Milliseconds(800);
  return {{desk}};
}

int run_of(const Json& params) {
  const Json* arguments = mcp::member(params, "arguments");
  const auto run = arguments ? mcp::integer_member(*arguments, "run") : std::nullopt;
  return static_cast<int>(run.value_or(0));
}

Json progress_of(const Json& params) {
  const Json* meta = mcp::member(params, "_meta");
  const Json* token = meta ? mcp::member(*meta, "progressToken") : nullptr;
  return {{"jsonrpc", "2.0"},
          {"method", "notifications/progress"},
          {"params", {{"progressToken", token ? *token : Json()}, {"progress", 1}}}};
}

Json told_of(const ToolInvocation& call) {
  const Json data = {{"for", call.tenant.value}};
  if (call.tool_name == kAskTool) return {{"structuredContent", data}};
  return {{"content", {{{"type", "text"}, {"text", mcp::compact(data)}}}}};
}

}  // namespace

ToolServer::ToolServer(ToolStage& stage, const Scenario& scenario)
    : stage_(stage), world_(stage.world), scenario_(scenario), config_(config_of(scenario)) {}

bool ToolServer::hit(Fault fault, int one_in) {
  return !stage_.calm && world_.dice.hit(scenario_.strength(fault) / one_in);
}

std::shared_ptr<void> ToolServer::on_its_way(const Json& params) {
  const auto call = stage_.served.find(run_of(params));
  if (call == stage_.served.end()) return nullptr;
  int& under_way = stage_.under_way[call->second.idempotency_key];
  ++under_way;
  return {nullptr, [&under_way](void*) { --under_way; }};
}

// ---- requests ----------------------------------------------------------------------------------

void ToolServer::arrived(ServerRequest request, const Reply<ServerAnswer>& reply) {
  if (over_http()) request.life = life_;
  if (request.life->over && !over_http()) return;
  // Nobody, or a gateway that says that there is nobody.
  if (request.life->over)
    return reply->answer(world_.dice.hit(500) ? not_connected() : status_only(503));
  if (auto refused = refusal(request)) return reply->answer(std::move(*refused));
  if (request.method == "tools/call") return call(std::move(request), reply);
  const Microseconds takes = world_.up_to(kServedUs);
  world_.under_way(takes);
  world_.at(takes, [this, request = std::move(request), reply] {
    if (!request.life->over) reply->answer(answer_to(request));
  });
}

/// Of a session that it doesn't know, over HTTP.
std::optional<ServerAnswer> ToolServer::refusal(const ServerRequest& request) {
  const bool in_session = over_http() && scenario_.served_legacy &&
                          request.method != "initialize" && request.method != "server/discover";
  if (!in_session) return std::nullopt;
  if (hit(Fault::ServerDown, 10)) sessions_.erase(request.session);
  if (sessions_.contains(request.session)) return std::nullopt;
  world_.mark(Mark::ServerForgotSession);
  world_.note("session forgotten", run_of(request.params), 0, request.method);
  if (request.method == "tools/call") turned_away_.insert(run_of(request.params));
  const bool named = !request.session.empty();
  return status_only(named ? 404 : 400, named);
}

ServerAnswer ToolServer::answer_to(const ServerRequest& request) {
  const bool opens = request.method == (scenario_.served_legacy ? "initialize" : "server/discover");
  if (opens) return shake_hands();
  if (request.method == "tools/list") return result_of(listed_tools(scenario_.server_trusted));
  return refused_with(mcp::rpc_code::kMethodNotFound);
}

ServerAnswer ToolServer::shake_hands() {
  Json result = {{"capabilities", {{"tools", Json::object()}}}};
  if (!scenario_.served_legacy) {
    result["supportedVersions"] = {mcp::kModernRevision};
    return result_of(std::move(result));
  }
  result["protocolVersion"] = mcp::kLegacyRevision;
  ServerAnswer answer = result_of(std::move(result));
  if (over_http()) answer.session = "s" + std::to_string(++last_session_);
  sessions_.insert(answer.session);
  return answer;
}

// ---- calls -------------------------------------------------------------------------------------

/// Its effect comes before its answer, and either may be the moment at which the server dies.
void ToolServer::call(ServerRequest request, const Reply<ServerAnswer>& reply) {
  if (hit(Fault::ToolFails, 1))
    return reply->answer(refused_with(world_.dice.hit(500) ? mcp::rpc_code::kInternalError
                                                           : mcp::rpc_code::kInvalidParams));
  const int run = run_of(request.params);
  if (turned_away_.contains(run)) world_.mark(Mark::ServedCallSentAgain);
  const std::int64_t most_us = hit(Fault::ToolSlow, 1) ? kServedSlowlyUs : kServedUs;
  const Microseconds before = world_.up_to(most_us);
  const Microseconds after = world_.up_to(most_us / 4);
  world_.under_way(before + after);
  if (most_us == kServedSlowlyUs)
    world_.at(world_.up_to(before.count()),
              [tell = request.tell, params = request.params] { tell(progress_of(params)); });
  if (hit(Fault::ServerDown, 5))
    world_.at(world_.up_to((before + after).count()), [this] { restart(); });
  world_.at(before, [this, run, after, request = std::move(request), reply] {
    if (request.life->over) return lost_under_way(reply);
    const ToolInvocation& call = stage_.served.at(run);
    have_effect(call);
    world_.at(after, [this, &call, life = request.life, reply] {
      if (!life->over) return reply->answer(result_of(told_of(call)));
      world_.mark(Mark::ServedEffectUnheard);
      lost_under_way(reply);
    });
  });
}

void ToolServer::have_effect(const ToolInvocation& call) {
  if (call.tool_name != kSendTool) return;
  stage_.checker.tool_ran(EffectClass::Once, call, true);
  stage_.done.insert(call.idempotency_key);
}

/// A gateway may say so; else the connection breaks, or nothing comes any more.
void ToolServer::lost_under_way(const Reply<ServerAnswer>& reply) {
  if (over_http() && world_.dice.hit(400))
    reply->answer(status_only(world_.dice.hit(500) ? 502 : 504));
}

// ---- its lives ---------------------------------------------------------------------------------

void ToolServer::restart() {
  if (stage_.calm) return;
  world_.note("server of tools restarts");
  if (!over_http()) {
    for (ToolServerLink* link : links_)
      if (world_.dice.hit(600)) link->die();
    return;
  }
  life_->over = true;
  sessions_.clear();
  world_.at(world_.up_to(kDownForUs), [this] { start(); });
}

void ToolServer::start() {
  if (life_->over) life_ = std::make_shared<ServerLife>();
}

void ToolServer::heal() { start(); }

}  // namespace ba::sim
