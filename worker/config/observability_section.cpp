// SPDX-License-Identifier: Apache-2.0
#include "worker/config/observability_section.hpp"

#include <algorithm>
#include <utility>

#include "pipeline/base/lower_case.hpp"
#include "worker/http/http_client.hpp"
#include "worker/http/url.hpp"
#include "worker/settings/section_reader.hpp"

namespace ba::config {
namespace {

using Kind = SettingProblem::Kind;

void read_logging(settings::SectionReader& in, ObservabilityConfig& out) {
  in.read("enable_logging", out.enable_logging);
  in.read("log_level", out.log_level, kLogLevelNames);
  in.read("log_format", out.log_format, kLogFormatNames);
  in.read("log_output", out.log_output);
  in.read("log_file", out.log_file);
  for (std::string& output : out.log_output) {
    const std::string name = lower_case(output);
    if (name != "stdout" && name != "stderr" && name != "file")
      in.refuse("log_output",
                {.kind = Kind::NotAChoice, .value = output, .allowed = "stdout, stderr, file"});
    output = name;
  }
  const bool to_file = std::count(out.log_output.begin(), out.log_output.end(), "file") > 0;
  if (to_file && out.log_file.empty())
    in.error("log_output", Kind::Conflict, "log_output names \"file\", so log_file must name one");
  if (!to_file && !out.log_file.empty())
    in.warning("log_file", "is not used: log_output doesn't name \"file\"");
}

void read_traces(settings::SectionReader& in, ObservabilityConfig& out) {
  in.read("enable_tracing", out.enable_tracing);
  in.read("trace_sampling", out.trace_sampling, trace::kTraceSamplingNames);
  in.read("trace_export_timeout_ms", out.trace_export_timeout, {1, 600'000});
  in.read("trace_batch_size", out.trace_batch_size, {1, 10'000});
  in.read("trace_queue_max", out.trace_queue_max, {1, 1'000'000});
  in.read("trace_content", out.trace_content);
  in.read("trace_content_bytes_max", out.trace_content_bytes_max, {256, 1'048'576});
  if (out.trace_queue_max < out.trace_batch_size)
    in.conflict("trace_queue_max", "trace_batch_size",
                "trace_queue_max (" + std::to_string(out.trace_queue_max) +
                    ") must not be below trace_batch_size (" +
                    std::to_string(out.trace_batch_size) + ")");
}

/// Read and checked, so that a configuration stays valid when they begin to count. A default that
/// was printed and read back is not worth a word.
void warn_of_idle(settings::SectionReader& in, const ObservabilityConfig& out) {
  const ObservabilityConfig usual;
  constexpr const char* kNoExport = "has no effect in this version: metrics are read from /metrics";
  if (out.metrics_export_interval_s != usual.metrics_export_interval_s)
    in.warning("metrics_export_interval_s", kNoExport);
  if (out.metrics_export_timeout != usual.metrics_export_timeout)
    in.warning("metrics_export_timeout_ms", kNoExport);
  if (out.trace_sampling != usual.trace_sampling && out.otlp_endpoint.empty())
    in.warning("trace_sampling", "has no effect without otlp_endpoint: set that, too");
}

void read_proxy(settings::SectionReader& in, ObservabilityConfig& out) {
  in.read("otlp_proxy", out.otlp_proxy);
  in.read("otlp_proxy_user", out.otlp_proxy_user);
  in.read("otlp_proxy_password", out.otlp_proxy_password);
  if (!out.otlp_proxy.empty() && !http::is_http_url(out.otlp_proxy))
    in.refuse("otlp_proxy", {.kind = Kind::NotAllowed,
                             .value = "'" + http::shown_url(out.otlp_proxy) + "'",
                             .allowed = "http(s)://host[:port]; a login is otlp_proxy_user with "
                                        "otlp_proxy_password"});
  if (out.otlp_proxy.empty() && !out.otlp_proxy_user.empty())
    in.error("otlp_proxy_user", Kind::Conflict, "is for a proxy: set otlp_proxy too");
  if (out.otlp_proxy_user.empty() && !out.otlp_proxy_password.empty())
    in.error("otlp_proxy_password", Kind::Conflict, "stands beside otlp_proxy_user: set that too");
}

void read_otlp(settings::SectionReader& in, ObservabilityConfig& out) {
  in.read("metrics_export_interval_s", out.metrics_export_interval_s, {1, 86'400});
  in.read("metrics_export_timeout_ms", out.metrics_export_timeout, {1, 600'000});
  in.read("otlp_endpoint", out.otlp_endpoint);
  in.read("otlp_headers",
          settings::MaskedTexts{out.otlp_headers, [](std::string_view) { return true; }});
  in.read("otlp_ca_file", out.otlp_ca_file);
  read_proxy(in, out);
  in.read("otlp_compression", out.otlp_compression, trace::kOtlpCompressionNames);
  if (!out.otlp_endpoint.empty() && !http::is_http_url(out.otlp_endpoint))
    in.refuse("otlp_endpoint",
              {.kind = Kind::NotAllowed,
               .value = "'" + http::shown_url(out.otlp_endpoint) + "'",
               .allowed = "http(s)://host[:port][/path], as http://collector:4318"});
  for (const auto& [name, value] : out.otlp_headers) {
    if (!http::is_header_name(name))
      in.entry_error("otlp_headers", name, Kind::NotAllowed, "is no name of a header");
    if (!http::is_header_value(value))
      in.entry_error("otlp_headers", name, Kind::NotAllowed, "has a control character");
  }
  warn_of_idle(in, out);
}

}  // namespace

void read_observability(settings::SectionReader& in, ObservabilityConfig& observability) {
  in.read("enable_metrics", observability.enable_metrics);
  read_logging(in, observability);
  read_traces(in, observability);
  read_otlp(in, observability);
  in.read("core_dumps", observability.core_dumps);
  in.read("service_name", observability.service_name);
  in.read("environment", observability.environment);
  in.read("extra_tags", observability.extra_tags);
}

}  // namespace ba::config
