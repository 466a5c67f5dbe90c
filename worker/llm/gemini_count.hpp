#pragma once
// SPDX-License-Identifier: Apache-2.0
// Gemini's own way to count tokens (https://ai.google.dev/api/tokens): its models are asked for
// replies over openai_chat, so what is sent is translated.

namespace ba {

class CountForm;

/// At a base URL with or without the "/openai" or, at Vertex AI, "/endpoints/openapi" of what is
/// compatible with OpenAI's API.
const CountForm& gemini_count();

}  // namespace ba
