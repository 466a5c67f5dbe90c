#pragma once
// SPDX-License-Identifier: Apache-2.0
// What must hold for any bytes: a function for each parser of what comes from outside, in
// NAME_target.cpp. It returns, or an assertion fails. libFuzzer calls it (libfuzzer_entry.cpp), and
// seeds_test.cpp with each seed.

#include <string_view>

#include "pipeline/base/assert.hpp"

namespace ba::fuzz {

void answer(std::string_view input);
void base64(std::string_view input);
void configuration(std::string_view input);
void conversation(std::string_view input);
void file(std::string_view input);
void headers(std::string_view input);
void job(std::string_view input);
void json(std::string_view input);
void otlp_answer(std::string_view input);
void path(std::string_view input);
void react(std::string_view input);
void receipt(std::string_view input);
void redaction(std::string_view input);
void reply(std::string_view input);
void result(std::string_view input);
void search_answer(std::string_view input);
void skill_document(std::string_view input);
void sql(std::string_view input);
void sse(std::string_view input);
void stored_messages(std::string_view input);
void token(std::string_view input);
void tokenizer(std::string_view input);
void tool_arguments(std::string_view input);
void tool_server(std::string_view input);
void toon(std::string_view input);
void trace_context(std::string_view input);
void xml(std::string_view input);
void yaml(std::string_view input);

}  // namespace ba::fuzz
