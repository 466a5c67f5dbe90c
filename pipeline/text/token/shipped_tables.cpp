// SPDX-License-Identifier: Apache-2.0
#include "pipeline/text/token/shipped_tables.hpp"

// The assembler puts the files in: a compiler would need minutes for arrays of that size.
#define BA_SHIPPED(name)                                                                           \
  asm(".pushsection .rodata\n.balign 64\nba_tables_" #name ":\n.incbin \"" BA_TABLES_DIR "/" #name \
      ".tables\"\nba_tables_end_" #name ":\n.popsection\n");                                       \
  extern "C" const char ba_tables_##name[];                                                        \
  extern "C" const char ba_tables_end_##name[]

BA_SHIPPED(cl100k_base);
BA_SHIPPED(o200k_base);

namespace ba {

std::string_view shipped_tables(TokenEncoding encoding) {
  if (encoding == TokenEncoding::Cl100kBase)
    return {ba_tables_cl100k_base, ba_tables_end_cl100k_base};
  return {ba_tables_o200k_base, ba_tables_end_o200k_base};
}

}  // namespace ba
