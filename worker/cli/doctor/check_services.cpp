// SPDX-License-Identifier: Apache-2.0
#include "worker/cli/doctor/check.hpp"
#include "worker/http/http_question.hpp"
#include "worker/http/url.hpp"
#include "worker/tools/search/search_request.hpp"
#include "worker/tools/vector/embedding.hpp"
#include "worker/trace/otlp_request.hpp"

namespace ba::cli {
namespace {

constexpr Milliseconds kPatience{10'000};

/// `section` is where the tool is configured.
Check check_service(const std::string& tool, const std::string& section,
                    const http::HttpEndpointConfig& endpoint) {
  if (!http::is_http_url(endpoint.url))  // it may hold a password
    return failed(tool, "its service was not looked for: its base_url is not valid",
                  "correct " + section + ".base_url");
  // Without its path, which may hold a key.
  const std::string service =
      http::server_of(endpoint.url) + (endpoint.proxy.empty() ? "" : ", through the proxy,");
  const auto reached = http::probe_endpoint(endpoint, kPatience);
  if (reached)
    return passed(tool, service + " can be reached, " + http::protection_of(endpoint.url));
  Error error = reached.error();
  error.message = service + " can't be reached: " + error.message;
  if (error.code == ErrorCode::Authentication)
    return failed(tool, error, "set " + section + ".ca_file, or mend the service's certificate");
  return failed(tool, error,
                "start the service, or correct base_url, proxy or ca_file in " + section);
}

constexpr const char* kTraces = "traces";

Check check_collector(const std::string& url, const config::ObservabilityConfig& from) {
  http::HttpEndpointConfig endpoint;
  endpoint.url = url;
  endpoint.proxy = from.otlp_proxy;
  endpoint.proxy_user = from.otlp_proxy_user;
  endpoint.proxy_password = from.otlp_proxy_password;
  endpoint.ca_file = from.otlp_ca_file;
  const std::string collector = http::server_of(url);  // its path may hold a key
  const auto reached = http::probe_endpoint(endpoint, kPatience);
  if (reached) return passed(kTraces, collector + " can be reached, " + http::protection_of(url));
  // Jobs run without it.
  return warned(kTraces, collector + " can't be reached: " + reached.error().message,
                reached.error().retry == Retry::Never
                    ? "see to otlp_endpoint, otlp_proxy and otlp_ca_file in observability"
                    : "start the collector, or correct observability.otlp_endpoint");
}

}  // namespace

Checks check_services(const config::Config& config) {
  Checks checks;
  const auto& web = config.tools.of<search::WebSearchConfig>();
  if (!web.base_url.empty())
    checks.push_back(check_service("web_search", "tools.web_search", search::search_endpoint(web)));
  const auto& vectors = config.tools.of<vector::VectorSearchConfig>();
  if (!vectors.base_url.empty())
    checks.push_back(
        check_service("vector_search", "tools.vector_search", vector::embedding_endpoint(vectors)));
  return checks;
}

Checks check_traces(const config::Config& config) {
  const config::ObservabilityConfig& from = config.observability;
  if (!from.traces() || !http::is_http_url(from.otlp_endpoint)) return {};
  Checks checks;
  if (trace::port_of(from.otlp_endpoint) == trace::kOtlpGrpcPort)
    checks.push_back(warned(kTraces,
                            "observability.otlp_endpoint has port 4317, which is gRPC; traces are "
                            "sent as OTLP over HTTP",
                            "use the collector's HTTP port, by convention 4318"));
  checks.push_back(check_collector(trace::otlp_url(from.otlp_endpoint, trace::kTracesPath), from));
  return checks;
}

}  // namespace ba::cli
