// SPDX-License-Identifier: Apache-2.0
// ba-bench-tokens ENCODING FILE PASSES: counts the tokens of each text of a file (each four bytes
// of length, then so many bytes), PASSES times over. Prints what the counter's making took in
// microseconds, then each pass's CPU time, then each text's count.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <ctime>
#include <fstream>
#include <iostream>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

#include "pipeline/text/token/token_counter.hpp"

namespace {

std::vector<std::string_view> texts_of(std::string_view all) {
  std::vector<std::string_view> texts;
  for (std::size_t at = 0; at + 4 <= all.size();) {
    std::uint32_t size = 0;
    std::memcpy(&size, all.data() + at, sizeof size);
    texts.push_back(all.substr(at + 4, size));
    at += 4 + std::size_t{size};
  }
  return texts;
}

/// Of this thread; what else runs on the machine isn't in it.
std::int64_t cpu_microseconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return std::int64_t{now.tv_sec} * 1'000'000 + now.tv_nsec / 1000;
}

int measure(ba::TokenEncoding encoding, const std::vector<std::string_view>& texts, int passes) {
  const std::int64_t before = cpu_microseconds();
  ba::TokenCounter counter(encoding);
  counter.count("ready?");
  std::cout << cpu_microseconds() - before << "\n";
  std::vector<std::int64_t> counts(texts.size());
  for (int pass = 0; pass < passes; ++pass) {
    const std::int64_t began = cpu_microseconds();
    for (std::size_t i = 0; i < texts.size(); ++i) counts[i] = counter.count(texts[i]);
    std::cout << cpu_microseconds() - began << "\n";
  }
  for (const std::int64_t count : counts) std::cout << count << "\n";
  return std::cout.flush() ? 0 : 1;
}

}  // namespace

int main(int count, char** arguments) {
  const auto encoding = count == 4 ? ba::value_of(ba::kTokenEncodingNames, arguments[1])
                                   : std::optional<ba::TokenEncoding>();
  if (!encoding) {
    std::cerr << "usage: ba-bench-tokens cl100k_base|o200k_base FILE PASSES\n";
    return 2;
  }
  std::ifstream in(arguments[2], std::ios::binary);
  const std::string all{std::istreambuf_iterator<char>(in), {}};
  if (!in || all.empty()) {
    std::cerr << "ba-bench-tokens: " << arguments[2] << " can't be read\n";
    return 1;
  }
  return measure(*encoding, texts_of(all), std::max(1, std::atoi(arguments[3])));
}
