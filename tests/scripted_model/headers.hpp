#pragma once
// SPDX-License-Identifier: Apache-2.0
// The request headers the protocols look at, apart from any HTTP library. Empty: not sent.

#include <string_view>

namespace ba::scripted {

struct RequestHeaders {
  std::string_view content_type;
  std::string_view authorization;
  std::string_view api_key;  ///< x-api-key
  std::string_view anthropic_version;
  std::string_view anthropic_beta;
};

}  // namespace ba::scripted
