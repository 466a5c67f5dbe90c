// SPDX-License-Identifier: Apache-2.0
#include "worker/mcp/handshake.hpp"

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

}  // namespace ba::mcp
