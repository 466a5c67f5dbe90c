// SPDX-License-Identifier: Apache-2.0
#include "worker/tools/base/setting_names.hpp"

#include <algorithm>

namespace ba::tools {
namespace {

constexpr std::size_t kNameMax = 63;  // of PostgreSQL

}  // namespace

bool well_named(std::string_view name) {
  const auto letter = [](char c) { return c >= 'a' && c <= 'z'; };
  return !name.empty() && name.size() <= kNameMax && letter(name[0]) &&
         std::ranges::all_of(
             name, [&](char c) { return letter(c) || (c >= '0' && c <= '9') || c == '_'; });
}

void check_well_named(KeyChecks& checks, const std::string& value) {
  checks.expect(well_named(value), "name", "'" + value + "'",
                "a lower-case letter followed by up to 62 lower-case letters, digits or "
                "underscores");
}

void check_name(KeyChecks& checks, const std::string& value, std::set<std::string>& taken) {
  check_well_named(checks, value);
  checks.expect(taken.insert(value).second, "name", "'" + value + "'", "used once only");
}

std::string indexed(const char* key, std::size_t index) {
  return std::string(key) + "[" + std::to_string(index) + "]";
}

}  // namespace ba::tools
