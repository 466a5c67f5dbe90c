// SPDX-License-Identifier: Apache-2.0
#include "worker/config/adapter_sections.hpp"

#include <algorithm>

#include "pipeline/base/lower_case.hpp"
#include "pipeline/core/tool/tool_names.hpp"

namespace ba::config {
namespace {

using settings::SectionReader;

constexpr const char* kNotSet = "default";  // of encodings, among which there is an `auto`

void read_retry_on(SectionReader& in, std::set<ToolErrorType>& types) {
  std::vector<std::string> names;
  for (const ToolErrorType type : types) names.emplace_back(to_string(type));
  in.read("retry_on", names);
  types.clear();
  for (const std::string& name : names) {
    const auto type = parse_tool_error_type(lower_case(name));
    if (type && retryable(*type))
      types.insert(*type);
    else
      in.refuse("retry_on", {.kind = SectionReader::Kind::NotAChoice,
                             .value = name,
                             .allowed = "timeout, rate_limit, resource_error, transient_error"});
  }
}

void read_retry(SectionReader& in, ToolRetryPolicy& retry) {
  in.read("max_retries", retry.max_retries, {0, 20});
  read_retry_on(in, retry.retry_on);
  in.read("backoff_multiplier", retry.backoff_multiplier, settings::RealBounds{1, 100});
  in.read("initial_delay_ms", retry.initial_delay, {0, 3'600'000});
  in.read("max_delay_ms", retry.max_delay, {0, 3'600'000});
  in.read("timeout_multiplier", retry.timeout_multiplier, settings::RealBounds{1, 100});
  in.read("max_timeout_ms", retry.max_timeout, {1, 24LL * 3'600'000});
}

constexpr std::int64_t kMsPerHour = 3'600'000;
constexpr std::int64_t kBytesPerGb = 1LL << 30;

}  // namespace

void read_tool_runtime(SectionReader& in, ToolRuntimeConfig& runtime) {
  in.read("output_level", runtime.output_level, kOutputLevelNames);
  in.read("encoding", settings::ChoiceOr{runtime.encoding, kNotSet}, kDataEncodingNames);
  in.read("stable_prefix", runtime.stable_prefix);
  in.read("brief_above_window_percent", runtime.brief_above_window_percent, {1, 100});
  in.read("max_input_mb", runtime.max_input_mb, {1, 100});
  in.read("observation_bytes_max", runtime.observation_bytes_max, {4096, 1LL << 30});
  in.read("inline_full_max_bytes", runtime.inline_full_max_bytes, {0, 1LL << 20});
  in.read("preview_bytes", runtime.preview_bytes, {0, 1LL << 20});
  in.section("retry", [&](SectionReader& inner) { read_retry(inner, runtime.retry); });
}

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

void read_artifacts(settings::SectionReader& tools, ArtifactConfig& artifacts) {
  tools.section("artifacts", [&](settings::SectionReader& in) {
    in.read("enabled", artifacts.enabled);
    in.read("directory", artifacts.directory);
    if (!artifacts.directory.empty() && !artifacts.directory.starts_with('/'))
      in.refuse("directory",
                {.kind = SectionReader::Kind::Unfit,
                 .value = "\"" + artifacts.directory + "\"",
                 .allowed = "an absolute path (empty: artifacts are kept in PostgreSQL)"});
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

}  // namespace ba::config
