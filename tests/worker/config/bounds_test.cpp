// SPDX-License-Identifier: Apache-2.0
// Each number has its bounds in one place, where its section is read: one beyond them is refused
// with its key, whoever uses it later.
#include "tests/worker/config/config_fixture.hpp"

namespace ba::config {
namespace {

using ::testing::AnyOf;
using ::testing::Contains;
using ::testing::HasSubstr;

class BoundsTest : public ConfigTest {};

/// A configuration that has nothing but the setting; "*" is an item, or one called "a".
std::string yaml_of(const settings::Setting& setting, const std::string& value) {
  std::string before;
  std::string behind;
  for (const std::string& part : setting.path) {
    const bool item = part.ends_with("[*]");
    const std::string name = item ? part.substr(0, part.size() - 3) : part;
    before += "{" + (name == settings::kAnyName ? "a" : name) + ": " + (item ? "[" : "");
    behind = (item ? "]}" : "}") + behind;
  }
  return before + value + behind + "\n";
}

std::string key_of(const settings::Setting& setting) {
  std::string key;
  for (const std::string& part : setting.path) {
    std::string written = part == settings::kAnyName ? "a" : part;
    if (written.ends_with("[*]")) written.replace(written.size() - 2, 1, "0");
    key += (key.empty() ? "" : ".") + written;
  }
  return key;
}

TEST_F(BoundsTest, AWholeNumberBeyondThemIsRefusedByItsKey) {
  int numbers = 0;
  for (const settings::Setting& setting : outlined_settings()) {
    if (setting.shape.kind != settings::SettingShape::Kind::Whole) continue;
    ++numbers;
    const Bounds bounds = setting.shape.bounds;
    EXPECT_LE(bounds.least, bounds.most) << setting.key();
    for (const std::int64_t value : {bounds.least - 1, bounds.most + 1}) {
      const std::string yaml = yaml_of(setting, std::to_string(value));
      EXPECT_THAT(
          errors(yaml),
          Contains(AnyOf(HasSubstr(key_of(setting) + ": \"" + std::to_string(value) +
                                   "\" is not allowed: must be a whole number from "),
                         HasSubstr(key_of(setting) + ": " + setting.path.back() + " must be "))))
          << yaml;
    }
  }
  EXPECT_GT(numbers, 100) << "of all sections";
}

TEST_F(BoundsTest, AnAmountOrAFractionBeyondThemIsRefusedByItsKey) {
  using Kind = settings::SettingShape::Kind;
  for (const settings::Setting& setting : outlined_settings()) {
    const settings::SettingShape& shape = setting.shape;
    if (shape.kind != Kind::Real && shape.kind != Kind::Dollars) continue;
    const double most =
        shape.kind == Kind::Real ? shape.most : static_cast<double>(shape.bounds.most) / 1'000'000;
    for (const std::string& value : {std::to_string(most + 1), std::string("-1000000000000")})
      EXPECT_THAT(errors(yaml_of(setting, value)), Contains(HasSubstr(key_of(setting) + ": ")))
          << setting.key() << " " << value;
  }
}

}  // namespace
}  // namespace ba::config
