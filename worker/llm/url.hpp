#pragma once
// SPDX-License-Identifier: Apache-2.0
// The little that has to be known about a provider's base URL. Pure functions.

#include <string>
#include <string_view>

namespace ba {

/// http(s)://host[:port][/path], printable ASCII, without user, query or fragment.
bool is_http_url(std::string_view text);

/// What may be shown of a URL that is not as it should be: neither who logs in nor a query or a
/// fragment, each of which may hold a key.
std::string shown_url(std::string_view text);

/// Of a URL that is_http_url(): http(s)://host[:port], without its path.
std::string server_of(std::string_view url);

/// Joins a base URL and an API path such as "/chat/completions". A base URL without a path gets
/// "/v1" first, as users write either.
std::string api_url(std::string_view base_url, std::string_view path);

/// What a server has beside its API, such as llama.cpp's "/props": the base URL without its "/v1".
std::string server_url(std::string_view base_url, std::string_view path);

}  // namespace ba
