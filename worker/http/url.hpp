#pragma once
// SPDX-License-Identifier: Apache-2.0
// The little that has to be known about a provider's base URL. Pure functions.

#include <string>
#include <string_view>

namespace ba::http {

/// http(s)://host[:port][/path], printable ASCII, without user, query or fragment.
bool is_http_url(std::string_view text);

/// What a proxy's setting must be.
inline constexpr const char* kProxyForm =
    "http(s)://host:port; who logs in there is proxy_user with proxy_password";

/// How requests to a URL that is_http_url() are protected: "encrypted (TLS), …", "not encrypted".
std::string protection_of(std::string_view url);

/// What may be shown of a URL: all of a host with a scheme or a port, and a path; of any other its
/// scheme. What is not as it should be may hold a password anywhere.
std::string shown_url(std::string_view text);

/// Of a URL that is_http_url(): http(s)://host[:port], without its path.
std::string server_of(std::string_view url);

/// Of URLs that are is_http_url(): the same scheme, host in any case, and port, written or not.
bool same_server(std::string_view left, std::string_view right);

/// Joins a base URL and an API path such as "/chat/completions". A base URL without a path gets
/// "/v1" first, as users write either.
std::string api_url(std::string_view base_url, std::string_view path);

/// What a server has beside its API, such as llama.cpp's "/props": the base URL without its "/v1".
std::string server_url(std::string_view base_url, std::string_view path);

}  // namespace ba::http
