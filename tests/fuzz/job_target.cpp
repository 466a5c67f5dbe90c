// SPDX-License-Identifier: Apache-2.0
// A record of a jobs topic: lines "name:value" are its headers, what follows an empty line is its
// value. A job reads back the same from the bytes that the ledger keeps; anything else becomes a
// dead letter that can be stored and sent again.
#include "pipeline/text/contract/dead_letter.hpp"
#include "pipeline/text/contract/decode_job.hpp"
#include "pipeline/text/contract/encode_job.hpp"
#include "pipeline/text/message/json_text.hpp"
#include "pipeline/text/message/utf8.hpp"
#include "tests/fuzz/targets.hpp"

namespace ba::fuzz {
namespace {

/// Takes the header lines off the front of `input`.
Headers take_headers(std::string_view& input) {
  Headers headers;
  while (!input.empty()) {
    const std::size_t end = std::min(input.find('\n'), input.size());
    const std::string_view line = input.substr(0, end);
    input.remove_prefix(std::min(end + 1, input.size()));
    if (line.empty()) break;
    const std::size_t colon = std::min(line.find(':'), line.size());
    headers.emplace_back(std::string(line.substr(0, colon)),
                         std::string(line.substr(std::min(colon + 1, line.size()))));
  }
  return headers;
}

void check_dead_letter(const RecordView& record, const DeadLetterReason& reason) {
  BA_ASSERT(!reason.message.empty());
  const DeadLetter letter = make_dead_letter(record, reason, Publication{});
  BA_ASSERT(!utf8_defect(letter.field) && !utf8_defect(letter.message));
  BA_ASSERT(letter.value == record.value && letter.headers == record.headers);
  BA_ASSERT(letter.record.value == record.value);
  BA_ASSERT(is_json(dead_letter_to_json(letter)));
}

}  // namespace

void job(std::string_view input) {
  const Headers headers = take_headers(input);
  const RecordView record{std::nullopt, input, headers, {"jobs", "", 0, 0, 0}};
  const auto decoded = decode_job(record, JobContractLimits{});
  if (const auto* reason = std::get_if<DeadLetterReason>(&decoded)) {
    check_dead_letter(record, *reason);
    return;
  }
  const auto& job = std::get<Job>(decoded);
  BA_ASSERT(!utf8_defect(job.tenant.value) && !job.messages.empty());
  const auto again = decode_job_payload(encode_job(job));
  BA_ASSERT(again && *again == job);
}

}  // namespace ba::fuzz
