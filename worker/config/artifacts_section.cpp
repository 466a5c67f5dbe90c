// SPDX-License-Identifier: Apache-2.0
#include "worker/config/adapter_sections.hpp"

#include <algorithm>

namespace ba {
namespace {

constexpr std::int64_t kMsPerHour = 3'600'000;
constexpr std::int64_t kBytesPerGb = 1LL << 30;

}  // namespace

void read_artifacts(settings::SectionReader& tools, ArtifactConfig& artifacts) {
  tools.section("artifacts", [&](settings::SectionReader& in) {
    in.read("enabled", artifacts.enabled);
    in.read("directory", artifacts.directory);
    if (!artifacts.directory.empty() && !artifacts.directory.starts_with('/'))
      in.error("directory", "\"" + artifacts.directory +
                                "\" is not an absolute path (empty: artifacts are kept in "
                                "PostgreSQL)");
    in.read("artifact_bytes_max", artifacts.artifact_bytes_max, {1 << 20, 256LL << 20});
    in.read("read_bytes_max", artifacts.read_bytes_max, {1 << 20, 64LL << 30});
    std::int64_t hours = artifacts.rules.max_age.count() / kMsPerHour;
    in.read("max_age_hours", hours, {1, 24 * 3650});
    artifacts.rules.max_age = Milliseconds(hours * kMsPerHour);
    std::int64_t size = artifacts.rules.bytes_max / kBytesPerGb;
    in.read("max_size_gb", size, {1, 1'000'000});
    artifacts.rules.bytes_max = size * kBytesPerGb;
    std::int64_t seconds = artifacts.cleanup_interval.count() / 1000;
    in.read("cleanup_interval_seconds", seconds, {1, 7 * 24 * 3600});
    artifacts.cleanup_interval = Milliseconds(seconds * 1000);
    artifacts.rules.orphans_after = artifacts.cleanup_interval;
    artifacts.rules.settled_after =
        std::min(artifacts.rules.settled_after, artifacts.cleanup_interval);
    in.read("remove_when_closed", artifacts.rules.remove_when_closed);
  });
}

}  // namespace ba
