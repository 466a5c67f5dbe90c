// SPDX-License-Identifier: Apache-2.0
#pragma once
// One JSON-RPC 2.0 message as it comes from a server, and the making of ours, in the revisions of
// the protocol that are spoken. Pure; any thread.

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "worker/mcp/json.hpp"

namespace ba::mcp {

/// A modern server hears version and capabilities with every request, a legacy one in a handshake
/// (specification 2026-07-28, "Versioning and Compatibility").
enum class Era { Modern, Legacy };

inline constexpr std::string_view kModernRevision = "2026-07-28";
inline constexpr std::string_view kLegacyRevision = "2025-11-25";  ///< what we ask for

/// What a legacy server may answer to our wish: the newest first.
inline constexpr std::array<std::string_view, 4> kLegacyRevisions{"2025-11-25", "2025-06-18",
                                                                  "2025-03-26", "2024-11-05"};

inline constexpr std::string_view to_string(Era era) {
  return era == Era::Modern ? "modern" : "legacy";
}

/// What a server says of itself; for people, never for decisions.
struct ServerFacts {
  Era era = Era::Legacy;
  std::string revision;
  std::string name;
  std::string version;

  friend bool operator==(const ServerFacts&, const ServerFacts&) = default;
};

/// Codes of JSON-RPC and of the protocol (specification 2026-07-28, "Error Codes").
namespace rpc_code {
inline constexpr std::int64_t kMethodNotFound = -32601;
inline constexpr std::int64_t kInvalidParams = -32602;
inline constexpr std::int64_t kInternalError = -32603;
inline constexpr std::int64_t kHeaderMismatch = -32020;
inline constexpr std::int64_t kMissingCapability = -32021;
inline constexpr std::int64_t kUnsupportedVersion = -32022;
}  // namespace rpc_code

struct RpcError {
  std::int64_t code = 0;
  std::string message;
  Json data;

  friend bool operator==(const RpcError&, const RpcError&) = default;
};

/// Only a modern server says one of these: it is not to be taken for a legacy one.
bool modern_error(const RpcError& error);

struct RpcMessage {
  enum class Kind { Result, Error, Request, Notification, Garbage };
  Kind kind = Kind::Garbage;
  Json id;             ///< as the server wrote it; null where there is none
  std::string method;  ///< of a request or notification
  Json params;
  Json result;
  RpcError error;
};

/// What is no message is Garbage; parts beyond the limits of JSON are texts (json.hpp).
RpcMessage read_rpc_message(std::string_view text);

std::string rpc_request(std::int64_t id, std::string_view method, Json params);
std::string rpc_notification(std::string_view method, Json params);
std::string rpc_result(const Json& id, Json result);
std::string rpc_error(const Json& id, std::int64_t code, std::string_view message);

/// What a server that asks for input is answered. A worker has no person to ask: it advertises
/// nothing of the kind and declines; a test may accept with the defaults of the form.
enum class Elicitation { Decline, AcceptDefaults };

/// What a client says it can do.
Json client_capabilities(Elicitation elicitation);

/// The whole JSON-RPC answer to a request of a legacy server.
std::string answer_to(const RpcMessage& request, Elicitation elicitation);

/// `inputResponses` for the `inputRequests` of a modern server; none when one of them can't be met.
std::optional<Json> input_responses(const Json& input_requests, Elicitation elicitation);

}  // namespace ba::mcp
