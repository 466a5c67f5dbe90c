// SPDX-License-Identifier: Apache-2.0
#include "worker/config/output_level_setting.hpp"

#include "worker/config/section_reader.hpp"

namespace ba::settings {
namespace {

enum class Choice { Auto, Brief, Standard, Full };
constexpr EnumNames<Choice, 4> kNames{{{Choice::Auto, "auto"},
                                       {Choice::Brief, "brief"},
                                       {Choice::Standard, "standard"},
                                       {Choice::Full, "full"}}};

}  // namespace

void read_output_level(SectionReader& in, const char* key, std::optional<OutputLevel>& level) {
  Choice choice = Choice::Auto;
  in.choice(key, choice, kNames);
  if (choice != Choice::Auto) level = parse_output_level(name_of(kNames, choice));
}

}  // namespace ba::settings
