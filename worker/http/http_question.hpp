#pragma once
// SPDX-License-Identifier: Apache-2.0
// One question to a server from a command, or none: blocking, bounded by `timeout`; any thread. It
// goes the way that the worker's requests go.

#include <string>

#include "pipeline/base/error.hpp"
#include "pipeline/base/time.hpp"
#include "worker/http/http_client.hpp"

namespace ba::http {

struct HttpReply {
  long status = 0;
  std::string body;
};

/// POST where there is something to send, else GET. Of `config`, its url, headers, reply_bytes_max,
/// proxy with its login and ca_file count. Errors as of an HttpCall, and Unavailable where the
/// answer is too long; messages begin with the URL and hold no header.
Result<HttpReply> ask_endpoint(const HttpEndpointConfig& config, const std::string& sent,
                               Milliseconds timeout);

/// Of `config`, its url, proxy with its login and ca_file count. Errors as of an HttpCall; of the
/// configuration a message names the ca_file alone.
Result<void> probe_endpoint(const HttpEndpointConfig& config, Milliseconds timeout);

}  // namespace ba::http
