// SPDX-License-Identifier: Apache-2.0
#include "pipeline/text/carrier/carrier.hpp"

#include <algorithm>

#include "pipeline/text/carrier/formats.hpp"

namespace ba {
namespace {

/// The parts of a document; `messages` may hold a document in its turn.
struct Parts {
  JsonView before;  ///< system, or instructions
  JsonView messages;
};

Parts parts_of(CarrierFormat format, JsonView document) {
  if (!document.is(JsonKind::Object)) return {{}, document};
  JsonView messages = document["messages"];
  if (format == CarrierFormat::Responses && messages.absent()) messages = document["input"];
  const bool responses = format == CarrierFormat::Responses;
  Parts parts{document[responses ? "instructions" : "system"], messages};
  if (!messages.is(JsonKind::Object)) return parts;
  const Parts inner = parts_of(format, messages);
  if (parts.before.absent()) parts.before = inner.before;
  parts.messages = inner.messages;
  return parts;
}

void read_parts(CarrierFormat format, const CarrierInput& in, const Parts& parts) {
  if (parts.messages.is(JsonKind::Missing))
    return in.reader.refuse("messages", "must not be missing");
  switch (format) {
    case CarrierFormat::Langchain:
      return read_langchain(in, parts.messages);
    case CarrierFormat::Anthropic:
      return read_anthropic(in, parts.before, parts.messages);
    case CarrierFormat::Openai:
      return read_openai(in, parts.messages);
    case CarrierFormat::Responses:
      return read_responses(in, parts.before, parts.messages);
    case CarrierFormat::Debug:
      return in.reader.refuse("messages", "can't be read from the form to look at");
  }
}

/// What a result calls the id of its call.
std::string_view answer_member(CarrierFormat format) {
  switch (format) {
    case CarrierFormat::Langchain:
      return "data.tool_call_id";
    case CarrierFormat::Anthropic:
      return "tool_use_id";
    case CarrierFormat::Responses:
      return "call_id";
    default:
      return "tool_call_id";
  }
}

}  // namespace

void Losses::add(std::string_view what, const std::string& field) {
  if (kinds_.size() >= kKindsMax) what = "more";
  const auto known = std::find_if(kinds_.begin(), kinds_.end(),
                                  [what](const Kind& kind) { return kind.what == what; });
  if (known != kinds_.end())
    ++known->count;
  else
    kinds_.push_back({std::string(what), field, 1});
}

void Losses::add(const Losses& others) {
  for (const Kind& kind : others.kinds()) {
    add(kind.what, kind.field);
    const auto same = std::find_if(kinds_.begin(), kinds_.end(),
                                   [&](const Kind& mine) { return mine.what == kind.what; });
    same->count += kind.count - 1;
  }
}

Result<CarrierReading> read_carrier(CarrierFormat format, JsonView document,
                                    std::string_view provider) {
  FieldReader reader;
  ConversationBuilder builder(reader, answer_member(format));
  CarrierReading reading;
  const CarrierInput in{reader, builder, reading.losses, provider};
  read_parts(format, in, parts_of(format, document));
  if (reader.good()) builder.finish();
  if (!reader.good()) return reader.error();
  reading.messages = builder.take();
  return reading;
}

Result<CarrierText> write_carrier(CarrierFormat format, const std::vector<Message>& messages) {
  FieldReader reader;
  CarrierText text;
  const CarrierOutput out{reader, text};
  switch (format) {
    case CarrierFormat::Langchain:
      write_langchain(out, messages);
      break;
    case CarrierFormat::Anthropic:
      write_anthropic(out, messages);
      break;
    case CarrierFormat::Openai:
      write_openai(out, messages);
      break;
    case CarrierFormat::Responses:
      write_responses(out, messages);
      break;
    case CarrierFormat::Debug:
      write_debug(out, messages);
      break;
  }
  if (!reader.good()) return reader.error();
  return text;
}

std::string carrier_document(CarrierFormat format, const CarrierText& text) {
  if (format != CarrierFormat::Anthropic) return text.messages;
  const std::string system = text.system.empty() ? "" : "\"system\":" + text.system + ",";
  return "{" + system + "\"messages\":" + text.messages + "}";
}

}  // namespace ba
