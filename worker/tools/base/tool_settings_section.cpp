// SPDX-License-Identifier: Apache-2.0
#include "worker/tools/base/tool_settings_section.hpp"

#include "pipeline/core/tool/tool_names.hpp"
#include "worker/settings/section_reader.hpp"

namespace ba {
namespace {

using settings::SectionReader;

constexpr const char* kNotSet = "default";  // of encodings, among which there is an `auto`

void read_settings(SectionReader& in, ToolSettings& tool) {
  in.read("enabled", tool.enabled);
  in.read("default_level", tool.default_level, kOutputLevelNames);
  in.read("encoding", settings::ChoiceOr{tool.encoding, kNotSet}, kDataEncodingNames);
  Milliseconds timeout{0};
  in.read("timeout_ms", timeout, {0, kToolTimeoutMsMax});
  if (timeout.count() > 0) tool.timeout = timeout;  // 0: the tool's own
  in.read("retry_on_timeout", tool.retry_on_timeout);
  in.read("cache_policy", tool.cache_policy, kCachePolicyNames);
  in.read("cache_scope", tool.cache_scope, kCacheScopeNames);
  in.read("concurrency_max", tool.gate.concurrency_max, {0, 10'000});
  in.read("calls_per_minute", tool.gate.calls_per_minute, {0, 1'000'000});
}

}  // namespace

void read_tool_settings(SectionReader& tools, ToolSettingsByName& settings) {
  tools.entries("settings", [&](const std::string& name, SectionReader& inner) {
    read_settings(inner, settings[name]);
  });
}

}  // namespace ba
