// SPDX-License-Identifier: Apache-2.0
#include "worker/config/adapter_sections.hpp"

namespace ba {

void read_tool_cache(settings::SectionReader& tools, SharedCacheConfig& cache) {
  tools.section("cache", [&](settings::SectionReader& in) {
    in.read("enabled", cache.enabled);
    in.read("entries_max", cache.store.entries_max, {1, 100'000'000});
    in.read("bytes_max", cache.store.bytes_max, {1024, 1LL << 40});
    in.read("result_bytes_max", cache.result_bytes_max, {1024, 64LL << 20});
    in.read("local_entries_max", cache.local.entries_max, {0, 10'000'000});
    in.read("local_bytes_max", cache.local.bytes_max, {0, 1LL << 36});
    in.read("confirm_after_ms", cache.confirm_after, {0, 3'600'000});
    in.read("clean_interval_ms", cache.clean_interval, {1000, 24LL * 3'600'000});
  });
}

}  // namespace ba
