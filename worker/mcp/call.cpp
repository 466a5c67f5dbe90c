// SPDX-License-Identifier: Apache-2.0
#include "worker/mcp/call.hpp"

#include <utility>

#include "worker/mcp/call_result.hpp"

namespace ba::mcp {
namespace {

/// `sent`: without an answer so far.
Error timed_out(Milliseconds limit, bool sent) {
  Error error;
  error.code = ErrorCode::Timeout;
  error.message = "no answer within " + std::to_string(limit.count()) + " ms";
  error.maybe_done = sent;
  return error;
}

/// What came before had no effect.
RawToolResult unreachable() {
  Error error;
  error.code = ErrorCode::Unavailable;
  return failure_of(error);
}

RawToolResult needs_person() {
  RawToolResult result;
  result.error = ToolError{ToolErrorType::DependencyError, "MCP_INPUT_NEEDED",
                           "the tool wants input from a person, and there is none"};
  return result;
}

}  // namespace

Call::Call(const std::shared_ptr<Session>& session, CallRequest request, Done done)
    : session_(session), request_(std::move(request)), done_(std::move(done)) {
  const Milliseconds total = request_.total_timeout;
  total_ = session->executor().after(
      total, [this, total] { finish(failure_of(timed_out(total, id_ != 0))); });
  send(*session);
}

Call::~Call() {
  const auto session = session_.lock();
  if (session && id_ != 0) session->rpc().cancel(id_, "no longer wanted");
}

void Call::send(Session& session) {
  if (session.rpc().closed()) return finish(unreachable());
  if (session.renewing()) return await_session(session);
  RpcRequest out;
  out.method = "tools/call";
  out.params = {{"name", request_.tool}, {"arguments", request_.arguments}};
  for (auto item = retry_params_.begin(); item != retry_params_.end(); ++item)
    out.params[item.key()] = *item;
  const ToolDefinition* tool = session.find(request_.tool);
  if (tool != nullptr && session.facts().era == Era::Modern && session.rpc().over_http())
    out.headers = param_headers(tool->headers, request_.arguments);
  out.idle_timeout = request_.idle_timeout;
  out.progress = true;
  id_ = session.rpc().request(std::move(out), [this](Reply reply) { answered(std::move(reply)); });
}

void Call::answered(Reply reply) {
  id_ = 0;
  if (const auto* error = std::get_if<RpcError>(&reply)) return refused(*error);
  if (const auto* gone = std::get_if<Lost>(&reply)) return lost(*gone);
  const Json& result = std::get<Json>(reply);
  if (text_member(result, "resultType") == "input_required") return wants_input(result);
  finish(read_call_result(result));
}

void Call::refused(const RpcError& error) {
  const auto session = session_.lock();
  const bool headers = error.code == rpc_code::kHeaderMismatch && !headers_refreshed_;
  if (!headers || !session) return finish(failure_of(error));
  headers_refreshed_ = true;
  session->refresh(lifetime_.guarded([this] { again(); }));
}

void Call::lost(const Lost& lost) {
  if (!lost.session_gone) return finish(failure_of(lost.error));
  // How that was said, mostly 404, says nothing against the call.
  const auto session = session_.lock();
  if (session_renewed_ || !session) return finish(unreachable());
  session_renewed_ = true;
  await_session(*session);
}

void Call::await_session(Session& session) {
  session.renew(lifetime_.guarded([this](bool good) {
    if (good) return again();
    finish(unreachable());
  }));
}

void Call::wants_input(const Json& result) {
  Json params = Json::object();
  const Json* wanted = member(result, "inputRequests");
  const Json* state = member(result, "requestState");
  const auto session = session_.lock();
  const bool more = ++input_rounds_ <= kInputRoundsMax && (wanted != nullptr || state != nullptr);
  if (!session || !more) return finish(needs_person());
  if (wanted != nullptr) {
    auto responses = input_responses(*wanted, session->rpc().identity().elicitation);
    if (!responses) return finish(needs_person());
    params["inputResponses"] = std::move(*responses);
  }
  if (state != nullptr) params["requestState"] = *state;
  retry_params_ = std::move(params);
  send(*session);
}

void Call::again() {
  const auto session = session_.lock();
  if (session) return send(*session);
  finish(unreachable());
}

/// The last thing a call does: its owner may destroy it from inside done.
void Call::finish(RawToolResult result) {
  total_.reset();
  const auto session = session_.lock();
  if (session && id_ != 0) session->rpc().cancel(std::exchange(id_, 0), "timeout");
  if (const auto done = std::exchange(done_, nullptr)) done(std::move(result));
}

}  // namespace ba::mcp
