#pragma once
// SPDX-License-Identifier: Apache-2.0
// A server that is a child process: one message a line on its standard streams (specification
// 2026-07-28, "stdio"). What it writes to its standard error goes to the log, within bounds.

#include <boost/asio/io_context.hpp>
#include <memory>

#include "pipeline/core/port/executor.hpp"
#include "pipeline/core/port/log.hpp"
#include "worker/mcp/child_process.hpp"
#include "worker/mcp/mcp_transport.hpp"

namespace ba::mcp {

inline constexpr Milliseconds kStopGrace{2000};  ///< after its input was closed
inline constexpr Milliseconds kTermGrace{1000};  ///< after SIGTERM, before SIGKILL
inline constexpr std::size_t kErrorLineBytesMax = 1024;
inline constexpr int kErrorLinesMax = 200;  ///< of one process; then it is said that there are more
inline constexpr std::size_t kUnsentBytesMax = 16 << 20;  ///< that a server doesn't read

struct StdioOptions {
  std::string server;  ///< for the log
  ChildCommand command;
  std::size_t line_bytes_max = 4 << 20;
};

/// `io` is run by the control thread, `executor` runs there; all outlive the transport.
std::unique_ptr<Transport> make_stdio_transport(StdioOptions options, boost::asio::io_context& io,
                                                Executor& executor, Log& log);

}  // namespace ba::mcp
