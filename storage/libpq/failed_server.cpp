// SPDX-License-Identifier: Apache-2.0
#include "storage/libpq/failed_server.hpp"

#include <algorithm>

#include "storage/libpq/conninfo.hpp"

namespace ba::storage {
namespace {

/// The next part of a list with commas, which is taken off it.
std::string take_first(std::string& list) {
  const std::size_t end = std::min(list.find(','), list.size());
  std::string first = list.substr(0, end);
  list.erase(0, end + 1);
  return first;
}

/// libpq's account has `hostaddr` in place of the host where both are given, one for one.
std::string host_of(const std::string& shown, const std::string& url) {
  std::string addresses = conninfo_value(url, "hostaddr");
  std::string hosts = conninfo_value(url, "host");
  while (!addresses.empty()) {
    const std::string host = take_first(hosts);
    if (take_first(addresses) == shown) return host.empty() ? shown : host;
  }
  return shown;
}

/// What stands between `begin` and `end` at the beginning of the text, which is taken off it.
std::optional<std::string> take(std::string_view& text, std::string_view begin,
                                std::string_view end) {
  if (!text.starts_with(begin)) return std::nullopt;
  const std::size_t close = text.find(end, begin.size());
  if (close == text.npos) return std::nullopt;
  std::string taken(text.substr(begin.size(), close - begin.size()));
  text.remove_prefix(close + end.size());
  return taken;
}

}  // namespace

// libpq 15, emitHostIdentityInfo(): `connection to server at "HOST" (ADDRESS), port PORT failed: `,
// without the address where the host is one.
std::optional<FailedServer> server_that_failed(std::string_view account, std::string_view words,
                                               const std::string& url) {
  const std::size_t at = account.find(words);
  const std::size_t begin = account.rfind("connection to server at \"", at);
  if (at == account.npos || begin == account.npos) return std::nullopt;
  std::string_view rest = account.substr(begin, at - begin);
  const auto shown = take(rest, "connection to server at \"", "\"");
  if (!shown) return std::nullopt;
  const auto address = take(rest, " (", ")");
  const auto port = take(rest, ", port ", " failed: ");
  if (!port) return std::nullopt;
  return FailedServer{host_of(*shown, url), address.value_or(*shown), *port};
}

// libpq 15, fe-secure-openssl.c, initialize_SSL().
std::string name_for_handshake(const FailedServer& server, const std::string& url) {
  const bool address = server.host.find_first_not_of("0123456789.") == std::string::npos ||
                       server.host.find(':') != std::string::npos;
  return address || conninfo_value(url, "sslsni") == "0" ? "" : server.host;
}

}  // namespace ba::storage
