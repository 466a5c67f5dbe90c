#pragma once
// SPDX-License-Identifier: Apache-2.0
// `web_search`. Any thread.

#include "worker/tools/base/tool_family.hpp"

namespace ba::search {

tools::ToolFamily search_tools();

}  // namespace ba::search
