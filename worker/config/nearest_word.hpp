#pragma once
// SPDX-License-Identifier: Apache-2.0
// "Did you mean", under the name that the settings know it by.

#include "pipeline/base/nearest_word.hpp"

namespace ba::settings {

using ba::nearest_word;

}  // namespace ba::settings
