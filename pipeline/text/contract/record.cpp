// SPDX-License-Identifier: Apache-2.0
#include "pipeline/text/contract/record.hpp"

namespace ba {

std::optional<std::string_view> header(const Headers& headers, std::string_view name) {
  for (auto it = headers.rbegin(); it != headers.rend(); ++it)
    if (it->first == name) return it->second;
  return std::nullopt;
}

std::size_t bytes_of(const Headers& headers) {
  std::size_t bytes = 0;
  for (const auto& [name, value] : headers) bytes += name.size() + value.size();
  return bytes;
}

}  // namespace ba
