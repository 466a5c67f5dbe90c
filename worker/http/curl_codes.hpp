#pragma once
// SPDX-License-Identifier: Apache-2.0
// From libcurl's codes, and its text where one code means several things, to Error. Pure function.

#include <string>
#include <string_view>

#include "pipeline/base/error.hpp"

namespace ba::http {

/// `code` is a CURLcode other than CURLE_OK; `message` what libcurl says about it, of which nothing
/// is repeated: it names parts of the URL. `ca_file` is the endpoint's. `maybe_done` is the
/// caller's to set.
Error error_of_curl(int code, std::string_view message, const std::string& ca_file);

}  // namespace ba::http
