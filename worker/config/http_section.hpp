#pragma once
// SPDX-License-Identifier: Apache-2.0
// Section `http`: where /metrics, /healthz and /readyz are served. Values.

#include <string>

namespace ba {

namespace settings {
class SectionReader;
}

struct HttpConfig {
  bool enabled = true;
  std::string address = "127.0.0.1";  ///< an IP address; 0.0.0.0 or :: for every interface
  int port = 0;                       ///< 0: a free one, which the log names

  friend bool operator==(const HttpConfig&, const HttpConfig&) = default;
};

void read_http(settings::SectionReader& in, HttpConfig& http);

}  // namespace ba
