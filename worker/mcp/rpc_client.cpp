// SPDX-License-Identifier: Apache-2.0
#include "worker/mcp/rpc_client.hpp"

#include <utility>

#include "pipeline/base/exact_json.hpp"

namespace ba::mcp {
namespace {

constexpr const char* kMetaPrefix = "io.modelcontextprotocol/";
constexpr std::string_view kProgress = "notifications/progress";

Lost timed_out(Milliseconds limit) {
  Lost lost;
  lost.error.code = ErrorCode::Timeout;
  lost.error.message = "no answer within " + std::to_string(limit.count()) + " ms";
  lost.error.maybe_done = true;
  return lost;
}

}  // namespace

RpcClient::RpcClient(Transport& transport, Executor& executor, ClientIdentity identity,
                     Events events)
    : transport_(transport),
      executor_(executor),
      identity_(std::move(identity)),
      events_(std::move(events)) {}

RpcClient::~RpcClient() = default;

void RpcClient::speak(Era era, std::string revision) {
  era_ = era;
  revision_ = std::move(revision);
}

// ---- what is sent ------------------------------------------------------------------------------

HeaderList RpcClient::headers_for(const std::string& method, const Json& params) const {
  HeaderList headers;
  if (!revision_.empty()) headers.emplace_back("MCP-Protocol-Version", revision_);
  if (era_ == Era::Legacy) return headers;
  headers.emplace_back("Mcp-Method", method);
  if (const auto name = text_member(params, "name"); name && method == "tools/call")
    headers.emplace_back("Mcp-Name", header_value(*name));
  return headers;
}

void RpcClient::add_envelope(RpcRequest& request, std::int64_t id) const {
  Json meta = Json::object();
  if (request.progress) meta["progressToken"] = id;
  if (era_ == Era::Modern) {
    const std::string prefix = kMetaPrefix;
    meta[prefix + "protocolVersion"] = revision_;
    meta[prefix + "clientInfo"] = {{"name", "ba-agent"}, {"version", identity_.version}};
    meta[prefix + "clientCapabilities"] = client_capabilities(identity_.elicitation);
  }
  if (!meta.empty()) request.params["_meta"] = std::move(meta);
}

std::int64_t RpcClient::request(RpcRequest request, std::function<void(Reply)> done) {
  const std::int64_t id = ++last_id_;
  add_envelope(request, id);
  Pending& pending = pending_[id];
  pending.done = std::move(done);
  pending.idle_timeout = request.idle_timeout;
  arm_idle(id, pending);
  if (const Milliseconds total = request.total_timeout; total.count() > 0)
    pending.total = executor_.after(total, [this, id, total] { overdue(id, total); });
  Outgoing out;
  out.id = id;
  out.headers = headers_for(request.method, request.params);
  for (auto& header : request.headers) out.headers.push_back(std::move(header));
  out.body = rpc_request(id, request.method, std::move(request.params));
  out.opens_session = request.opens_session;
  transport_.send(std::move(out));
  return id;
}

void RpcClient::notify(std::string_view method, Json params) {
  Outgoing out;
  out.headers = headers_for(std::string(method), params);
  out.body = rpc_notification(method, std::move(params));
  transport_.send(std::move(out));
}

void RpcClient::listen() { transport_.listen(headers_for("", Json())); }

void RpcClient::cancel(std::int64_t id, std::string_view reason) {
  if (pending_.erase(id) == 0) return;
  // A modern server over HTTP hears it by the end of the stream.
  if (era_ == Era::Legacy || !transport_.is_http())
    notify("notifications/cancelled", {{"requestId", id}, {"reason", reason}});
  transport_.drop(id);
}

// ---- time --------------------------------------------------------------------------------------

void RpcClient::arm_idle(std::int64_t id, Pending& pending) {
  const Milliseconds limit = pending.idle_timeout;
  if (limit.count() > 0)
    pending.idle = executor_.after(limit, [this, id, limit] { overdue(id, limit); });
}

void RpcClient::overdue(std::int64_t id, Milliseconds limit) {
  const auto found = pending_.find(id);
  if (found == pending_.end()) return;
  const auto done = std::move(found->second.done);
  cancel(id, "timeout");
  done(timed_out(limit));
}

// ---- what comes --------------------------------------------------------------------------------

void RpcClient::on_message(std::int64_t stream, RpcMessage message) {
  switch (message.kind) {
    case RpcMessage::Kind::Result:
    case RpcMessage::Kind::Error:
      return take_answer(stream, std::move(message));
    case RpcMessage::Kind::Request:
      return take_request(message);
    case RpcMessage::Kind::Notification:
      if (message.method == kProgress) return take_progress(message);
      if (events_.on_notification) events_.on_notification(message);
      return;
    case RpcMessage::Kind::Garbage:
      ++counts_.garbage;
      return;
  }
}

void RpcClient::take_answer(std::int64_t stream, RpcMessage message) {
  std::int64_t id = message.id.is_number_integer() ? message.id.get<std::int64_t>() : 0;
  // An error without an id is about the request whose stream it came in.
  if (message.id.is_null() && message.kind == RpcMessage::Kind::Error && stream > 0) id = stream;
  const bool own = stream == kSharedStream || stream == id;
  if (!own || !pending_.contains(id)) {
    ++counts_.unexpected_answers;
    return;
  }
  if (message.kind == RpcMessage::Kind::Error) return finish(id, std::move(message.error));
  finish(id, std::move(message.result));
}

void RpcClient::take_progress(const RpcMessage& message) {
  const auto id = integer_member(message.params, "progressToken");
  const Json* progress = member(message.params, "progress");
  const auto found = id ? pending_.find(*id) : pending_.end();
  if (found == pending_.end() || progress == nullptr || !is_any_number(*progress)) return;
  const double value = nearest_double(*progress);
  if (!(value > found->second.progress)) return;
  found->second.progress = value;
  arm_idle(*id, found->second);
}

void RpcClient::take_request(const RpcMessage& message) {
  if (message.method != "ping") ++counts_.declined_requests;
  // A modern server must not ask this way, and no answer may be posted to it.
  if (era_ == Era::Modern && transport_.is_http()) return;
  Outgoing out;
  out.headers = headers_for("", Json());
  out.body = answer_to(message, identity_.elicitation);
  transport_.send(std::move(out));
}

void RpcClient::on_lost(std::int64_t id, Lost lost) { finish(id, std::move(lost)); }

void RpcClient::on_closed(Error error) {
  // Whoever is told may find that it can't go on, and close it again.
  if (std::exchange(closed_, true)) return;
  std::map<std::int64_t, Pending> lost = std::exchange(pending_, {});
  const std::function<void(Error)> closed = events_.on_closed;
  error.maybe_done = true;
  for (auto& [id, pending] : lost) pending.done(Lost{error});
  if (closed) closed(error);  // which may destroy this
}

void RpcClient::finish(std::int64_t id, Reply reply) {
  const auto found = pending_.find(id);
  if (found == pending_.end()) return;
  const auto done = std::move(found->second.done);
  pending_.erase(found);
  done(std::move(reply));
}

}  // namespace ba::mcp
