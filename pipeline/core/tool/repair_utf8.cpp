// SPDX-License-Identifier: Apache-2.0
#include "pipeline/core/tool/repair_utf8.hpp"

#include <optional>
#include <string_view>
#include <utility>

#include "pipeline/text/message/utf8.hpp"

namespace ba {

bool repair_utf8(std::string& text) {
  std::string_view rest = text;
  std::optional<std::size_t> defect = utf8_defect(rest);
  if (!defect) return false;
  std::string clean;
  for (; defect; defect = utf8_defect(rest)) {
    clean += rest.substr(0, *defect);
    clean += "\xEF\xBF\xBD";
    rest.remove_prefix(*defect + 1);
  }
  clean += rest;
  text = std::move(clean);
  return true;
}

}  // namespace ba
