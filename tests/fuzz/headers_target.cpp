// SPDX-License-Identifier: Apache-2.0
// The headers of a record in the form in which a dead letter keeps them until somebody sends the
// record again. Lines "name:value", any bytes: what is written reads back the same.
#include "pipeline/text/message/json_text.hpp"
#include "pipeline/text/message/utf8.hpp"
#include "storage/ledger/outbox_rows.hpp"
#include "tests/fuzz/targets.hpp"

namespace ba::fuzz {

void headers(std::string_view input) {
  Headers headers;
  while (!input.empty()) {
    const std::string_view line = input.substr(0, input.find('\n'));
    input.remove_prefix(std::min(line.size() + 1, input.size()));
    const std::string_view name = line.substr(0, line.find(':'));
    headers.emplace_back(std::string(name),
                         std::string(line.substr(std::min(name.size() + 1, line.size()))));
  }
  const std::string json = storage::headers_to_json(headers);
  BA_ASSERT(is_json(json) && !utf8_defect(json));
  BA_ASSERT(storage::headers_from_json(json) == headers);
}

}  // namespace ba::fuzz
