// SPDX-License-Identifier: Apache-2.0
// A step of the build: pack_tables VOCABULARY TABLES.
#include <fstream>
#include <iostream>
#include <iterator>

#include "ops/tokens/make_tables.hpp"

int main(int count, char** arguments) {
  if (count != 3) {
    std::cerr << "usage: pack_tables VOCABULARY TABLES\n";
    return 2;
  }
  std::ifstream in(arguments[1], std::ios::binary);
  const std::string packed{std::istreambuf_iterator<char>(in), {}};
  if (!in || packed.empty()) {
    std::cerr << "pack_tables: " << arguments[1] << " can't be read\n";
    return 1;
  }
  std::ofstream out(arguments[2], std::ios::binary);
  out << ba::make_bpe_tables(ba::unpack_vocabulary(packed)) << std::flush;
  if (out) return 0;
  std::cerr << "pack_tables: " << arguments[2] << " can't be written\n";
  return 1;
}
