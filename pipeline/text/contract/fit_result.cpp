// SPDX-License-Identifier: Apache-2.0
#include "pipeline/text/contract/fit_result.hpp"

#include <algorithm>
#include <vector>

#include "pipeline/text/contract/encode_result.hpp"
#include "pipeline/text/message/utf8.hpp"

namespace ba {
namespace {

constexpr std::int64_t kMarkBytesMax = 128;

/// The length to which the longest texts are cut, so that `excess` bytes go.
std::size_t level_for(const std::vector<Answer>& answers, std::int64_t excess) {
  std::vector<std::size_t> lengths;
  for (const Answer& answer : answers) lengths.push_back(answer.text.size());
  std::sort(lengths.rbegin(), lengths.rend());
  std::int64_t above = 0;  // bytes of the `count` longest
  for (std::size_t count = 1; count <= lengths.size(); ++count) {
    above += static_cast<std::int64_t>(lengths[count - 1]);
    const auto level = (above - excess) / static_cast<std::int64_t>(count);
    const auto next = count < lengths.size() ? static_cast<std::int64_t>(lengths[count]) : 0;
    if (level >= next) return static_cast<std::size_t>(level);
  }
  return 0;
}

void cut(std::string& text, std::size_t bytes) {
  const std::size_t whole = text.size();
  text.resize(utf8_prefix(text, bytes).size());
  text += "\n… [cut: the first " + std::to_string(text.size()) + " of " + std::to_string(whole) +
          " bytes (result_bytes_max)]";
}

}  // namespace

JobResult fit_result(JobResult result, const Publication& publication) {
  const auto bytes = static_cast<std::int64_t>(encode_result(result, publication.encoding).size());
  if (bytes <= publication.result_bytes_max) return result;
  // Every byte of a text takes at least one of the record.
  const auto marks = kMarkBytesMax * static_cast<std::int64_t>(result.answers.size());
  const std::size_t level = level_for(result.answers, bytes - publication.result_bytes_max + marks);
  for (Answer& answer : result.answers)
    if (answer.text.size() > level) cut(answer.text, level);
  return result;
}

}  // namespace ba
