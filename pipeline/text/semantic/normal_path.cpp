// SPDX-License-Identifier: Apache-2.0
#include "pipeline/text/semantic/normal_path.hpp"

#include <vector>

#include "pipeline/text/semantic/normal_text.hpp"

namespace ba {

std::string normal_path(std::string_view given) {
  const std::string path = nfc(given);
  const bool absolute = path.starts_with('/');
  std::vector<std::string_view> segments;
  for (std::size_t from = 0; from <= path.size();) {
    const std::size_t to = std::min(path.find('/', from), path.size());
    const std::string_view segment = std::string_view(path).substr(from, to - from);
    from = to + 1;
    if (segment.empty() || segment == ".") continue;
    const bool back = segment == ".." && !segments.empty() && segments.back() != "..";
    if (back)
      segments.pop_back();
    else
      segments.push_back(segment);
  }
  std::string normal = absolute ? "/" : "";
  for (std::size_t i = 0; i < segments.size(); ++i)
    normal += (i > 0 ? "/" : "") + std::string(segments[i]);
  return normal.empty() ? "." : normal;
}

}  // namespace ba
