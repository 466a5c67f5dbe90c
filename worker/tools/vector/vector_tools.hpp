#pragma once
// SPDX-License-Identifier: Apache-2.0
// `vector_search`. Any thread.

#include "worker/tools/base/tool_family.hpp"

namespace ba::vector {

/// Its indexes lie in data sources of `sql`.
tools::ToolFamily vector_tools();

}  // namespace ba::vector
