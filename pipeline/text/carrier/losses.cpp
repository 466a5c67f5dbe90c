// SPDX-License-Identifier: Apache-2.0
#include "pipeline/text/carrier/losses.hpp"

#include <algorithm>

namespace ba {

void Losses::add(std::string_view what, const std::string& field) {
  if (kinds_.size() >= kKindsMax) what = "more";
  const auto known = std::find_if(kinds_.begin(), kinds_.end(),
                                  [what](const Kind& kind) { return kind.what == what; });
  if (known != kinds_.end())
    ++known->count;
  else
    kinds_.push_back({std::string(what), field, 1});
}

void Losses::add(const Losses& others) {
  for (const Kind& kind : others.kinds()) {
    add(kind.what, kind.field);
    const auto same = std::find_if(kinds_.begin(), kinds_.end(),
                                   [&](const Kind& mine) { return mine.what == kind.what; });
    same->count += kind.count - 1;
  }
}

}  // namespace ba
