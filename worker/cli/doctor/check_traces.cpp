// SPDX-License-Identifier: Apache-2.0
#include "worker/cli/doctor/check.hpp"
#include "worker/http/endpoint_probe.hpp"
#include "worker/http/url.hpp"
#include "worker/trace/otlp_request.hpp"

namespace ba {
namespace {

constexpr Milliseconds kPatience{10'000};
constexpr const char* kName = "traces";

Check check_collector(const std::string& url, const ObservabilityConfig& from) {
  HttpEndpointConfig endpoint;
  endpoint.url = url;
  endpoint.proxy = from.otlp_proxy;
  endpoint.proxy_user = from.otlp_proxy_user;
  endpoint.proxy_password = from.otlp_proxy_password;
  endpoint.ca_file = from.otlp_ca_file;
  const std::string collector = server_of(url);  // its path may hold a key
  const auto reached = probe_endpoint(endpoint, kPatience);
  if (reached) return passed(kName, collector + " can be reached, " + protection_of(url));
  // Jobs run without it.
  return warned(kName, collector + " can't be reached: " + reached.error().message,
                reached.error().retry == Retry::Never
                    ? "see to otlp_endpoint, otlp_proxy and otlp_ca_file in observability"
                    : "start the collector, or correct observability.otlp_endpoint");
}

}  // namespace

Checks check_traces(const Config& config) {
  const ObservabilityConfig& from = config.observability;
  if (!from.traces() || !is_http_url(from.otlp_endpoint)) return {};
  Checks checks;
  if (port_of(from.otlp_endpoint) == kOtlpGrpcPort)
    checks.push_back(warned(kName,
                            "observability.otlp_endpoint has port 4317, which is gRPC; traces are "
                            "sent as OTLP over HTTP",
                            "use the collector's HTTP port, by convention 4318"));
  checks.push_back(check_collector(otlp_url(from.otlp_endpoint, kTracesPath), from));
  return checks;
}

}  // namespace ba
