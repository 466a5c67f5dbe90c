// SPDX-License-Identifier: Apache-2.0
#include "worker/config/tool_cache_section.hpp"

#include "worker/settings/section_reader.hpp"

namespace ba {

void read_tool_cache(settings::SectionReader& tools, SharedCacheConfig& cache) {
  namespace bounds = shared_cache_bounds;
  tools.section("cache", [&](settings::SectionReader& in) {
    in.read("enabled", cache.enabled);
    in.read("entries_max", cache.store.entries_max, bounds::kEntries);
    in.read("bytes_max", cache.store.bytes_max, bounds::kBytes);
    in.read("result_bytes_max", cache.result_bytes_max, bounds::kResultBytes);
    in.read("local_entries_max", cache.local.entries_max, bounds::kLocalEntries);
    in.read("local_bytes_max", cache.local.bytes_max, bounds::kLocalBytes);
    in.read("confirm_after_ms", cache.confirm_after, bounds::kConfirmMs);
    in.read("clean_interval_ms", cache.clean_interval, bounds::kCleanMs);
  });
}

}  // namespace ba
