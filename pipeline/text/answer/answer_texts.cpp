// SPDX-License-Identifier: Apache-2.0
#include "pipeline/text/answer/answer_texts.hpp"

namespace ba {

std::string with_answer_schema(std::string system_prompt, std::string_view schema) {
  if (schema.empty()) return system_prompt;
  if (!system_prompt.empty()) system_prompt += "\n\n";
  system_prompt +=
      "Your final answer to each question must be one JSON value that is valid against this JSON "
      "Schema (draft 7), and nothing else: no text around it. Call tools first where you need "
      "them.\n";
  system_prompt += schema;
  return system_prompt;
}

std::string answer_repair_text(std::string_view violation) {
  return "<system-reminder>\nYour answer does not fit the required JSON Schema: " +
         std::string(violation) +
         "\n\nGive the whole answer again as one JSON value that is valid against the schema, and "
         "nothing else. Keep what was right.\n</system-reminder>";
}

}  // namespace ba
