#pragma once
// SPDX-License-Identifier: Apache-2.0
// How requests reach a provider: what all of them have in common. Pure functions.

#include <string>

#include "worker/http/http_client.hpp"
#include "worker/llm/llm_config.hpp"

namespace ba {

/// The way to a provider's server: its proxy, its authorities, the time for a connection.
HttpEndpointConfig provider_endpoint(const ProviderConfig& provider, std::string url,
                                     HttpHeaders headers);

}  // namespace ba
