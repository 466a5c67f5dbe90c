// SPDX-License-Identifier: Apache-2.0
#include "worker/cli/doctor/check.hpp"
#include "worker/http/endpoint_probe.hpp"
#include "worker/http/url.hpp"
#include "worker/tools/search/search_request.hpp"
#include "worker/tools/vector/embedding.hpp"

namespace ba {
namespace {

constexpr Milliseconds kPatience{10'000};

/// `section` is where the tool is configured.
Check check_service(const std::string& tool, const std::string& section,
                    const HttpEndpointConfig& endpoint) {
  if (!is_http_url(endpoint.url))  // it may hold a password
    return failed(tool, "its service was not looked for: its base_url is not valid",
                  "correct " + section + ".base_url");
  // Without its path, which may hold a key.
  const std::string service =
      server_of(endpoint.url) + (endpoint.proxy.empty() ? "" : ", through the proxy,");
  const auto reached = probe_endpoint(endpoint, kPatience);
  if (reached) return passed(tool, service + " can be reached, " + protection_of(endpoint.url));
  Error error = reached.error();
  error.message = service + " can't be reached: " + error.message;
  if (error.code == ErrorCode::Authentication)
    return failed(tool, error, "set " + section + ".ca_file, or mend the service's certificate");
  return failed(tool, error,
                "start the service, or correct base_url, proxy or ca_file in " + section);
}

}  // namespace

Checks check_services(const Config& config) {
  Checks checks;
  if (!config.web_search.base_url.empty())
    checks.push_back(
        check_service("web_search", "tools.web_search", search_endpoint(config.web_search)));
  if (!config.vector_search.base_url.empty())
    checks.push_back(check_service("vector_search", "tools.vector_search",
                                   embedding_endpoint(config.vector_search)));
  return checks;
}

}  // namespace ba
