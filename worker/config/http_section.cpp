// SPDX-License-Identifier: Apache-2.0
#include "worker/config/http_section.hpp"

#include <arpa/inet.h>

#include "worker/settings/section_reader.hpp"

namespace ba {
namespace {

bool is_ip_address(const std::string& text) {
  in6_addr address{};
  return inet_pton(AF_INET, text.c_str(), &address) == 1 ||
         inet_pton(AF_INET6, text.c_str(), &address) == 1;
}

}  // namespace

void read_http(settings::SectionReader& in, HttpConfig& http) {
  in.read("enabled", http.enabled);
  in.read("address", http.address);
  in.read("port", http.port, {0, 65'535});
  if (!is_ip_address(http.address))
    in.refuse("address", {.kind = SettingProblem::Kind::NotAllowed,
                          .value = "\"" + http.address + "\"",
                          .allowed = "an IP address (127.0.0.1, 0.0.0.0, ::)"});
}

}  // namespace ba
