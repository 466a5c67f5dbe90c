// SPDX-License-Identifier: Apache-2.0
// What libFuzzer calls, once per input, on one thread. BA_FUZZ_TARGET is the target's name.
#include <cstddef>
#include <cstdint>

#include "tests/fuzz/targets.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  ba::fuzz::BA_FUZZ_TARGET({reinterpret_cast<const char*>(data), size});
  return 0;
}
