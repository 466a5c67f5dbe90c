#pragma once
// SPDX-License-Identifier: Apache-2.0
// HttpClient over libcurl's multi_socket interface. Runs on the one thread that runs `io`.

#include <boost/asio/io_context.hpp>
#include <memory>

#include "worker/http/http_client.hpp"

namespace ba::http {

/// `io` must outlive the client.
std::unique_ptr<HttpClient> make_curl_http_client(boost::asio::io_context& io);

}  // namespace ba::http
