#pragma once
// SPDX-License-Identifier: Apache-2.0
// An output level as a setting: one of the three, or "auto" where none is fixed.

#include <optional>

#include "pipeline/tool/tool.hpp"

namespace ba::settings {

class SectionReader;

void read_output_level(SectionReader& in, const char* key, std::optional<OutputLevel>& level);

}  // namespace ba::settings
