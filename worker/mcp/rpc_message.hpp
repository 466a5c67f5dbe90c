#pragma once
// SPDX-License-Identifier: Apache-2.0
// One JSON-RPC 2.0 message as it comes from a server, and the making of ours. Pure; any thread.

#include <cstdint>
#include <string>
#include <string_view>

#include "worker/mcp/json.hpp"

namespace ba::mcp {

/// Codes of JSON-RPC and of the protocol (specification 2026-07-28, "Error Codes").
namespace rpc_code {
inline constexpr std::int64_t kParseError = -32700;
inline constexpr std::int64_t kInvalidRequest = -32600;
inline constexpr std::int64_t kMethodNotFound = -32601;
inline constexpr std::int64_t kInvalidParams = -32602;
inline constexpr std::int64_t kInternalError = -32603;
inline constexpr std::int64_t kHeaderMismatch = -32020;
inline constexpr std::int64_t kMissingCapability = -32021;
inline constexpr std::int64_t kUnsupportedVersion = -32022;
inline constexpr std::int64_t kUrlElicitation = -32042;
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

/// What is no message is Garbage; parts beyond the limits of JSON are texts (bounded_message.hpp).
RpcMessage read_rpc_message(std::string_view text);

std::string rpc_request(std::int64_t id, std::string_view method, Json params);
std::string rpc_notification(std::string_view method, Json params);
std::string rpc_result(const Json& id, Json result);
std::string rpc_error(const Json& id, std::int64_t code, std::string_view message);

}  // namespace ba::mcp
