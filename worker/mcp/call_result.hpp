#pragma once
// SPDX-License-Identifier: Apache-2.0
// What a tool's answer is to the worker: data for the observation, or an error. Bytes of images,
// sounds and files don't go to a model; it is told what there is. Pure; any thread.

#include "pipeline/core/tool/tool.hpp"
#include "worker/mcp/json.hpp"

namespace ba::mcp {

inline constexpr std::size_t kErrorBytesMax = 4096;  ///< of a tool's own error text
inline constexpr std::size_t kUriBytesMax = 2048;
inline constexpr std::size_t kContentItemsMax = 1000;            ///< what follows is counted only
inline constexpr std::size_t kResourceTextBytesMax = 64 * 1024;  ///< of an embedded text

/// Of a result that is complete. Content beside `structuredContent` is told with it, but for texts
/// that say the same once more: {"content": …, "structured_content": …}.
RawToolResult read_call_result(const Json& result);

}  // namespace ba::mcp
