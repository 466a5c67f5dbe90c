#pragma once
// SPDX-License-Identifier: Apache-2.0
// Which share of the traces is told. Values.

#include "pipeline/base/enum_names.hpp"

namespace ba {

enum class TraceSampling { Always, High, Medium, Low, Never };
inline constexpr EnumNames<TraceSampling, 5> kTraceSamplingNames{{{TraceSampling::Always, "always"},
                                                                  {TraceSampling::High, "high"},
                                                                  {TraceSampling::Medium, "medium"},
                                                                  {TraceSampling::Low, "low"},
                                                                  {TraceSampling::Never, "never"}}};

/// 1, 0.5, 0.1, 0.01, 0.
constexpr double share_of(TraceSampling sampling) {
  switch (sampling) {
    case TraceSampling::Always:
      return 1;
    case TraceSampling::High:
      return 0.5;
    case TraceSampling::Medium:
      return 0.1;
    case TraceSampling::Low:
      return 0.01;
    case TraceSampling::Never:
      return 0;
  }
  return 0;
}

}  // namespace ba
