// SPDX-License-Identifier: Apache-2.0
#include "worker/llm/openai_model.hpp"

namespace ba {
namespace {

constexpr std::string_view kFineTuned = "ft:";
constexpr std::string_view kFamily = "gpt-";
constexpr char kFirstThatReasons = '5';

bool is_digit(char c) { return c >= '0' && c <= '9'; }

}  // namespace

bool is_openai_reasoning_model(std::string_view model_id) {
  if (model_id.starts_with(kFineTuned)) model_id.remove_prefix(kFineTuned.size());
  if (model_id.size() >= 2 && model_id[0] == 'o') return is_digit(model_id[1]);
  if (!model_id.starts_with(kFamily)) return false;
  model_id.remove_prefix(kFamily.size());
  if (model_id.empty() || !is_digit(model_id[0])) return false;
  const bool two_digits = model_id.size() >= 2 && is_digit(model_id[1]);
  return two_digits || model_id[0] >= kFirstThatReasons;
}

StructuredOutput openai_answer_form(const ClosedForm& form) {
  return {.native = form.object, .strict = form.closed && form.all_required};
}

}  // namespace ba
