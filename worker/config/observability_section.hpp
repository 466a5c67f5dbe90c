#pragma once
// SPDX-License-Identifier: Apache-2.0
// Section `observability`: logs, metrics, traces. Values.

#include <array>
#include <map>
#include <string>
#include <vector>

#include "pipeline/base/enum_names.hpp"
#include "pipeline/base/time.hpp"
#include "pipeline/core/port/log.hpp"
#include "worker/trace/trace_ids.hpp"

namespace ba::settings {
class SectionReader;
}  // namespace ba::settings

namespace ba::config {

enum class LogFormat { Json, Text };
inline constexpr EnumNames<LogFormat, 2> kLogFormatNames{
    {{LogFormat::Json, "json"}, {LogFormat::Text, "text"}}};

struct ObservabilityConfig {
  bool enable_logging = true;
  bool enable_metrics = true;  ///< whether /metrics is served
  bool enable_tracing = true;  ///< where otlp_endpoint says where traces go
  LogLevel log_level = LogLevel::Info;
  LogFormat log_format = LogFormat::Json;
  std::vector<std::string> log_output{"stderr"};  ///< of stdout, stderr, file
  std::string log_file;                           ///< for the output `file`
  trace::TraceSampling trace_sampling = trace::TraceSampling::Medium;
  Milliseconds trace_export_timeout{5'000};  ///< of one request
  int trace_batch_size = 100;                ///< spans of one request
  int trace_queue_max = 10'000;              ///< spans that wait; more are dropped and counted
  bool trace_content = false;                ///< whether spans hold what was asked and answered
  int trace_content_bytes_max = 8'192;       ///< of one such attribute
  std::int64_t metrics_export_interval_s = 60;
  Milliseconds metrics_export_timeout{3'000};
  std::string otlp_endpoint;  ///< empty: none
  std::map<std::string, std::string> otlp_headers;
  std::string otlp_proxy;  ///< http(s)://host:port; empty: none, whatever the environment says
  Secret otlp_proxy_user;  ///< empty: nobody logs in there
  Secret otlp_proxy_password;
  std::string otlp_ca_file;  ///< PEM of further trusted roots; empty: the system's
  trace::OtlpCompression otlp_compression = trace::OtlpCompression::Gzip;
  bool core_dumps = false;  ///< of the worker, whose memory holds every secret
  std::string service_name = "ba-agent";
  std::string environment = "production";
  std::map<std::string, std::string> extra_tags;

  /// Whether spans are made at all.
  bool traces() const {
    return enable_tracing && !otlp_endpoint.empty() &&
           trace_sampling != trace::TraceSampling::Never;
  }

  friend bool operator==(const ObservabilityConfig&, const ObservabilityConfig&) = default;
};

void read_observability(settings::SectionReader& in, ObservabilityConfig& observability);

}  // namespace ba::config
