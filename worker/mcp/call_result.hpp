// SPDX-License-Identifier: Apache-2.0
#pragma once
// What a tool's answer is to the worker: data for the observation, or an error. Bytes of images,
// sounds and files don't go to a model; it is told what there is. Pure; any thread.

#include "pipeline/base/error.hpp"
#include "pipeline/core/tool/tool.hpp"
#include "worker/mcp/json.hpp"
#include "worker/mcp/rpc_message.hpp"

namespace ba::mcp {

inline constexpr std::size_t kErrorBytesMax = 4096;  ///< of a tool's own error text
inline constexpr std::size_t kUriBytesMax = 2048;
inline constexpr std::size_t kContentItemsMax = 1000;            ///< what follows is counted only
inline constexpr std::size_t kResourceTextBytesMax = 64 * 1024;  ///< of an embedded text

/// Of a result that is complete. Content beside `structuredContent` is told with it, but for texts
/// that say the same once more: {"content": …, "structured_content": …}.
RawToolResult read_call_result(const Json& result);

inline constexpr std::size_t kRpcMessageBytesMax = 1024;  ///< of the server's own words

/// Why a call has no result, as the worker's own errors: one table for the server's JSON-RPC
/// errors, one for the transport's. Messages are for a model: no address, user or path of ours.
RawToolResult failure_of(const RpcError& error);

/// `maybe_done` says whether the server may have acted; a wait that it asked for is kept to.
RawToolResult failure_of(const Error& error);

/// What an HTTP status other than success says of a request that was sent.
Error error_of_status(int status);

}  // namespace ba::mcp
