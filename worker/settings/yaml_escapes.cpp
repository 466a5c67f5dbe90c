// SPDX-License-Identifier: Apache-2.0
#include "worker/settings/yaml_escapes.hpp"

#include <algorithm>

#include "pipeline/text/message/utf8.hpp"

namespace ba {

std::string with_whole_escapes(const std::string& scalar) {
  if (!utf8_defect(scalar)) return scalar;
  std::string whole;
  for (std::string_view rest = scalar; !rest.empty();) {
    const std::size_t length = utf8_sequence_length(rest);
    if (length == 0 && rest.front() != '\0') whole += '\xc2';
    const std::size_t taken = std::max<std::size_t>(length, 1);
    whole += rest.substr(0, taken);
    rest.remove_prefix(taken);
  }
  return whole;
}

}  // namespace ba
