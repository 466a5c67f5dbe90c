#pragma once
// SPDX-License-Identifier: Apache-2.0
// Section `observability`: logs, metrics; traces and export are read, but not built yet. Values.

#include <array>
#include <map>
#include <string>
#include <vector>

#include "pipeline/base/enum_names.hpp"
#include "pipeline/base/time.hpp"
#include "pipeline/port/log.hpp"

namespace ba {

namespace settings {
class SectionReader;
}

enum class LogFormat { Json, Text };
inline constexpr EnumNames<LogFormat, 2> kLogFormatNames{
    {{LogFormat::Json, "json"}, {LogFormat::Text, "text"}}};

/// The share of jobs that are traced: 1, 0.5, 0.1, 0.01, 0.
enum class TraceSampling { Always, High, Medium, Low, Never };
inline constexpr EnumNames<TraceSampling, 5> kTraceSamplingNames{{{TraceSampling::Always, "always"},
                                                                  {TraceSampling::High, "high"},
                                                                  {TraceSampling::Medium, "medium"},
                                                                  {TraceSampling::Low, "low"},
                                                                  {TraceSampling::Never, "never"}}};

enum class OtlpCompression { Gzip, None };
inline constexpr EnumNames<OtlpCompression, 2> kOtlpCompressionNames{
    {{OtlpCompression::Gzip, "gzip"}, {OtlpCompression::None, "none"}}};

struct ObservabilityConfig {
  bool enable_logging = true;
  bool enable_metrics = true;  ///< whether /metrics is served
  bool enable_tracing = true;  ///< as all that follows of traces and export: not built yet
  LogLevel log_level = LogLevel::Info;
  LogFormat log_format = LogFormat::Json;
  std::vector<std::string> log_output{"stderr"};  ///< of stdout, stderr, file
  std::string log_file;                           ///< for the output `file`
  TraceSampling trace_sampling = TraceSampling::Medium;
  Milliseconds trace_export_timeout{5'000};
  int trace_batch_size = 100;
  std::int64_t metrics_export_interval_s = 60;
  Milliseconds metrics_export_timeout{3'000};
  std::string otlp_endpoint;  ///< empty: none
  std::map<std::string, std::string> otlp_headers;
  OtlpCompression otlp_compression = OtlpCompression::Gzip;
  bool core_dumps = false;  ///< of the worker, whose memory holds every secret
  std::string service_name = "ba-agent";
  std::string environment = "production";
  std::map<std::string, std::string> extra_tags;

  friend bool operator==(const ObservabilityConfig&, const ObservabilityConfig&) = default;
};

void read_observability(settings::SectionReader& in, ObservabilityConfig& observability);

}  // namespace ba
