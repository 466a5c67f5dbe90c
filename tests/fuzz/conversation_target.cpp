// SPDX-License-Identifier: Apache-2.0
// Foreign conversations: what is read is a valid history, comes back from its own form, and can be
// written in every other; what isn't read is refused with a field.
#include "pipeline/text/carrier/carrier.hpp"
#include "pipeline/text/message/validate.hpp"
#include "tests/fuzz/targets.hpp"

namespace ba {
namespace {

void expect_valid(std::vector<Message> messages) {
  for (std::size_t i = 0; i < messages.size(); ++i)
    if (meta_of(messages[i]).message_id.empty())
      meta_of(messages[i]).message_id = MessageId("\n\x01none of theirs " + std::to_string(i));
  BA_ASSERT(validate_history(messages, HistoryEnd::Answered));
}

void expect_same_again(CarrierFormat form, const std::vector<Message>& messages) {
  const auto text = write_carrier(form, messages);
  if (!text) return;  // it contradicts itself, by what a foreign program claims that it kept
  const std::string document = carrier_document(form, *text);
  const auto json = JsonView::parse(document);
  BA_ASSERT(json);
  const auto again = read_carrier(form, *json);
  BA_ASSERT(again);
  const auto same = write_carrier(form, again->messages);
  BA_ASSERT(same && carrier_document(form, *same) == document);
}

}  // namespace
}  // namespace ba

void ba::fuzz::conversation(std::string_view input) {
  const auto document = JsonView::parse(input);
  if (!document) return;
  for (const auto& [form, name] : kCarrierFormatNames) {
    const auto reading = read_carrier(form, *document);
    if (!reading) {
      BA_ASSERT(!reading.error().detail.empty());
      continue;
    }
    expect_valid(reading->messages);
    expect_same_again(form, reading->messages);
    for (const auto& [other, other_name] : kCarrierFormatNames) {
      const auto text = write_carrier(other, reading->messages);
      BA_ASSERT(!text || JsonView::parse(text->messages));
    }
  }
}
