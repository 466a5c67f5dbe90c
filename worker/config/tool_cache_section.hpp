#pragma once
// SPDX-License-Identifier: Apache-2.0
// Section `tools.cache` into the configuration of the result cache.

#include "pipeline/core/cache/shared_cache.hpp"

namespace ba {

namespace settings {
class SectionReader;
}

/// `tools`: the section around it.
void read_tool_cache(settings::SectionReader& tools, SharedCacheConfig& cache);

}  // namespace ba
