// SPDX-License-Identifier: Apache-2.0
// A job's schema, in the first line, and what a model said, in the others: it is an answer, which
// is then one of the same schema again, or what is wrong with it can be told and stored.
#include "pipeline/text/answer/answer.hpp"

#include "pipeline/text/answer/closed_form.hpp"
#include "pipeline/text/message/json_text.hpp"
#include "pipeline/text/message/utf8.hpp"
#include "tests/fuzz/targets.hpp"

namespace ba::fuzz {

void answer(std::string_view input) {
  const std::size_t line = input.find('\n');
  const std::string_view schema = input.substr(0, line);
  const std::string_view text = line == input.npos ? std::string_view() : input.substr(line + 1);
  const auto usable = check_answer_schema(schema);
  const auto read = read_answer(schema, text);
  if (!usable) {
    BA_ASSERT(!read && !usable.error().message.empty() && closed_form(schema) == ClosedForm{});
    return;
  }
  const std::string compact = compact_json(schema);
  BA_ASSERT(is_json_object(compact) && check_answer_schema(compact));
  closed_form(schema);
  if (!read) {
    BA_ASSERT(!read.error().message.empty() && !utf8_defect(read.error().message));
    return;
  }
  BA_ASSERT(is_json(*read) && compact_json(*read) == *read);
  const auto again = read_answer(compact, *read);
  BA_ASSERT(again && *again == *read);
}

}  // namespace ba::fuzz
