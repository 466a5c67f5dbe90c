// SPDX-License-Identifier: Apache-2.0
#include "worker/mcp/mcp_session.hpp"

#include <algorithm>
#include <utility>

namespace ba::mcp {
namespace {

constexpr std::size_t kShownBytes = 200;  // of what a server says of itself

bool lists(const Json* versions, std::string_view version) {
  return versions != nullptr && versions->is_array() &&
         std::ranges::any_of(*versions, [&](const Json& item) { return item == version; });
}

bool lists_legacy(const Json* versions) {
  return std::ranges::any_of(kLegacyRevisions,
                             [&](std::string_view version) { return lists(versions, version); });
}

/// A status by which a legacy server may refuse what it does not know; not one about credentials,
/// time or load.
bool refuses_the_unknown(int status) {
  return status >= 400 && status < 500 && status != 401 && status != 403 && status != 407 &&
         status != 408 && status != 429;
}

}  // namespace

Handshake::Handshake(RpcClient& rpc, Milliseconds timeout, std::optional<Era> known, Done done)
    : rpc_(rpc), timeout_(timeout), known_(known), done_(std::move(done)) {}

void Handshake::start() {
  if (known_ == Era::Legacy) return initialize();
  discover();
}

void Handshake::discover() {
  probing_ = true;
  rpc_.speak(Era::Modern, std::string(kModernRevision));
  RpcRequest request;
  request.method = "server/discover";
  request.total_timeout = timeout_ / 2;  // there must be time for the other way
  rpc_.request(std::move(request), [this](Reply reply) { discovered(std::move(reply)); });
}

void Handshake::discovered(Reply reply) {
  probing_ = false;
  if (const auto* error = std::get_if<RpcError>(&reply)) return refused(*error);
  if (const auto* lost = std::get_if<Lost>(&reply)) {
    const bool silent = lost->error.code == ErrorCode::Timeout && lost->status == 0;
    if (refuses_the_unknown(lost->status) || (silent && !rpc_.over_http())) return initialize();
    return done_(lost->error);
  }
  const Json& result = std::get<Json>(reply);
  const Json* versions = member(result, "supportedVersions");
  if (lists(versions, kModernRevision))
    return agree(Era::Modern, std::string(kModernRevision), result);
  if (versions == nullptr || lists_legacy(versions)) return initialize();
  fail(ErrorCode::Protocol, "it speaks none of the revisions that this client does");
}

void Handshake::refused(const RpcError& error) {
  if (!modern_error(error)) return initialize();
  const Json* versions = member(error.data, "supported");
  const bool about_version = error.code == rpc_code::kUnsupportedVersion;
  if (about_version && lists(versions, kModernRevision) && !repeated_) {
    repeated_ = true;
    return discover();
  }
  if (about_version && lists_legacy(versions)) return initialize();
  fail(ErrorCode::Protocol, "it refused to be asked: " + plain_line(error.message, kShownBytes));
}

void Handshake::initialize() {
  rpc_.speak(Era::Legacy, "");
  RpcRequest request;
  request.method = "initialize";
  request.params = {{"protocolVersion", kLegacyRevision},
                    {"capabilities", client_capabilities(rpc_.identity().elicitation)},
                    {"clientInfo", {{"name", "ba-agent"}, {"version", rpc_.identity().version}}}};
  request.total_timeout = timeout_ / 2;
  request.opens_session = true;
  rpc_.request(std::move(request), [this](Reply reply) { initialized(std::move(reply)); });
}

void Handshake::initialized(Reply reply) {
  if (const auto* lost = std::get_if<Lost>(&reply)) return done_(lost->error);
  if (const auto* error = std::get_if<RpcError>(&reply))
    return fail(ErrorCode::Protocol,
                "it refused to be initialised: " + plain_line(error->message, kShownBytes));
  const Json& result = std::get<Json>(reply);
  const std::string revision = text_member(result, "protocolVersion").value_or("");
  if (std::ranges::find(kLegacyRevisions, revision) == kLegacyRevisions.end())
    return fail(ErrorCode::Protocol, "it wants revision '" + plain_line(revision, kShownBytes) +
                                         "', which is not known");
  rpc_.speak(Era::Legacy, revision);
  rpc_.notify("notifications/initialized", Json());
  agree(Era::Legacy, revision, result);
}

void Handshake::agree(Era era, const std::string& revision, const Json& result) {
  Agreement agreement;
  agreement.facts.era = era;
  agreement.facts.revision = revision;
  const Json* meta = member(result, "_meta");
  const Json* info =
      meta != nullptr ? member(*meta, "io.modelcontextprotocol/serverInfo") : nullptr;
  if (info == nullptr) info = member(result, "serverInfo");
  if (info != nullptr) {
    agreement.facts.name = plain_line(text_member(*info, "name").value_or(""), kShownBytes);
    agreement.facts.version = plain_line(text_member(*info, "version").value_or(""), kShownBytes);
  }
  const Json* capabilities = member(result, "capabilities");
  const Json* tools = capabilities != nullptr ? member(*capabilities, "tools") : nullptr;
  agreement.has_tools = tools != nullptr && tools->is_object();
  agreement.tells_changes = tools != nullptr && flag_member(*tools, "listChanged", false);
  done_(std::move(agreement));
}

void Handshake::fail(ErrorCode code, std::string message) {
  Error error;
  error.code = code;
  error.message = std::move(message);
  done_(std::move(error));
}

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
