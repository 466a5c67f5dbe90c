#pragma once
// SPDX-License-Identifier: Apache-2.0
// Whether an HTTP service can be reached, for `doctor`: connects, with TLS where the URL has it,
// and asks nothing, so that it costs nothing and sends no key. Blocking, bounded by `timeout`; any
// thread.

#include "pipeline/base/error.hpp"
#include "pipeline/base/time.hpp"
#include "worker/http/http_client.hpp"

namespace ba {

/// Of `config`, its url, proxy with its login and ca_file count. Errors as of an HttpCall; of the
/// configuration a message names the ca_file alone.
Result<void> probe_endpoint(const HttpEndpointConfig& config, Milliseconds timeout);

}  // namespace ba
