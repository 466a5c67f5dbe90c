// SPDX-License-Identifier: Apache-2.0
// Any bytes are a tokenizer file or are refused with a reason; by one that is read, any text has a
// number of tokens: the same when it is counted again. A text follows the file's first line.
// Regular expressions aren't tried: whoever names a file vouches for its patterns' time.
#include <string>

#include "pipeline/text/tokenizer/file_counter.hpp"
#include "tests/fuzz/targets.hpp"

namespace ba::fuzz {

void tokenizer(std::string_view input) {
  const std::size_t line = std::min(input.find('\n'), input.size());
  const std::string_view json = input.substr(0, line);
  if (json.find("Regex") != std::string_view::npos || json.find('\\') != std::string_view::npos)
    return;
  Result<TokenizerFile> file = read_tokenizer_file(json);
  if (!file) {
    BA_ASSERT(!file.error().message.empty());
    return;
  }
  FileCounter counter(std::move(*file));
  const std::string_view text = input.substr(line);
  const std::int64_t count = counter.count(text);
  BA_ASSERT(count >= 0 && count == counter.count(text));
}

}  // namespace ba::fuzz
