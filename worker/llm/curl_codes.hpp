#pragma once
// SPDX-License-Identifier: Apache-2.0
// The one table from libcurl's codes to Error. Pure function.

#include <string_view>

#include "pipeline/base/error.hpp"

namespace ba {

/// `code` is a CURLcode other than CURLE_OK; `message` what libcurl says about it. `maybe_done` is
/// the caller's to set.
Error error_of_curl(int code, std::string_view message);

}  // namespace ba
