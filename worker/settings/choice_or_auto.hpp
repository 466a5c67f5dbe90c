#pragma once
// SPDX-License-Identifier: Apache-2.0
// One name of a closed set as a setting, or "auto" (or another word, where that is in the set)
// where none is fixed. For the readers of sections; one thread.

#include <optional>
#include <utility>

#include "worker/settings/section_reader.hpp"

namespace ba::settings {

template <typename Enum, std::size_t N>
void read_choice_or_auto(SectionReader& in, const char* key, std::optional<Enum>& value,
                         const EnumNames<Enum, N>& names, const char* none = "auto") {
  EnumNames<std::optional<Enum>, N + 1> with_auto{};
  with_auto[0] = {std::nullopt, none};
  for (std::size_t i = 0; i < N; ++i) with_auto[i + 1] = names[i];
  in.read(key, value, with_auto);
}

}  // namespace ba::settings
