#pragma once
// SPDX-License-Identifier: Apache-2.0
// Why a call has no result, as the worker's own errors: one table for the server's JSON-RPC errors,
// one for the transport's. Messages are for a model: no address, user or path of ours. Pure.

#include <cstdint>

#include "pipeline/base/error.hpp"
#include "pipeline/core/tool/tool.hpp"
#include "worker/mcp/rpc_message.hpp"

namespace ba::mcp {

inline constexpr std::size_t kRpcMessageBytesMax = 1024;  ///< of the server's own words

RawToolResult failure_of(const RpcError& error);

/// `maybe_done` says whether the server may have acted; a wait that it asked for is kept to.
RawToolResult failure_of(const Error& error);

/// What an HTTP status other than success says of a request that was sent.
Error error_of_status(int status);

}  // namespace ba::mcp
