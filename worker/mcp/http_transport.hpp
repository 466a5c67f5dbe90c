#pragma once
// SPDX-License-Identifier: Apache-2.0
// A server behind a URL: each message is a POST of its own, answered by JSON or by a stream of
// events (specification 2026-07-28 and 2025-11-25, "Streamable HTTP"). Keeps a legacy server's
// session and takes up its broken streams.

#include <memory>

#include "pipeline/core/port/clock.hpp"
#include "pipeline/core/port/executor.hpp"
#include "worker/http/http_client.hpp"
#include "worker/mcp/mcp_transport.hpp"

namespace ba::mcp {

inline constexpr int kResumptionsMax = 5;          ///< of one stream, without a message between
inline constexpr Milliseconds kResumeAfter{1000};  ///< where the server names no time
inline constexpr Milliseconds kResumeAfterMost{60'000};
inline constexpr Milliseconds kResumeLeast{20};  ///< of a call's stream, whatever the server names
inline constexpr Milliseconds kFarewellTimeout{1000};  ///< of the DELETE at the end

/// `endpoint`: without the headers of the protocol. All outlive the transport. InvalidArgument for
/// a URL that is none.
Result<std::unique_ptr<Transport>> make_http_transport(http::HttpEndpointConfig endpoint,
                                                       http::HttpClient& http, Executor& executor);

}  // namespace ba::mcp
