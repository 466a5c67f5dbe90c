#pragma once
// SPDX-License-Identifier: Apache-2.0
// A body as HTTP's Content-Encoding gzip wants it (RFC 1952). Pure function; any thread.

#include <string>
#include <string_view>

namespace ba {

std::string gzip(std::string_view body);

}  // namespace ba
