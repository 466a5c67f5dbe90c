#pragma once
// SPDX-License-Identifier: Apache-2.0
// What each request sets of the way to its server: protocols, proxy, trusted authorities. In one
// place, so that `doctor` goes the way that the worker goes. Control thread, or any other with a
// handle of its own.

#include <curl/curl.h>

#include "worker/http/http_client.hpp"

namespace ba::http {

void set_way(CURL* curl, const HttpEndpointConfig& config);

}  // namespace ba::http
