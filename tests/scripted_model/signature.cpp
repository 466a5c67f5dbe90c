// SPDX-License-Identifier: Apache-2.0
#include "tests/scripted_model/signature.hpp"

#include "tests/scripted_model/hash.hpp"

namespace ba::scripted {

namespace {

void add_value(Hash& hash, const JsonValue& value);

void add_text(Hash& hash, const JsonValue& text) { hash.add("text").add(text.text()); }

void add_object(Hash& hash, const JsonValue& object) {
  if (object["type"].equals("text")) return add_text(hash, object["text"]);
  hash.add("{");
  JsonValue member = object.first();
  for (std::uint32_t left = object.size(); left > 0; --left, member = member.next()) {
    if (member.raw_key() == "cache_control") continue;
    hash.add(member.raw_key());
    add_value(hash, member);
  }
  hash.add("}");
}

void add_value(Hash& hash, const JsonValue& value) {
  switch (value.kind()) {
    case JsonKind::String:
      return add_text(hash, value);
    case JsonKind::Object:
      return add_object(hash, value);
    case JsonKind::Array: {
      JsonValue element = value.first();
      for (std::uint32_t left = value.size(); left > 0; --left, element = element.next()) {
        add_value(hash, element);
      }
      return;
    }
    default:
      hash.add(value.raw());
  }
}

Hash start_of_prefix(const Request& request) {
  Hash hash;
  if (request.system) add_value(hash, request.system);
  if (request.tools) add_value(hash, request.tools);
  return hash;
}

std::string signature(std::string_view thinking, const Hash& prefix) {
  return "sig-" + Hash().add(thinking).hex() + "-" + prefix.hex();
}

Refusal check_block(const JsonValue& block, const Place& place, const Hash& prefix) {
  if (!block["type"].equals("thinking")) return nullptr;
  const std::string expected = signature(block["thinking"].text(), prefix);
  const std::string found = block["signature"].text();
  if (found == expected) return nullptr;
  const bool text_is_right = found.substr(0, 20) == expected.substr(0, 20);
  return refuse_dotted(place, text_is_right
                                  ? "Invalid `signature` in `thinking` block. The block is bound "
                                    "to a different conversation."
                                  : "Invalid `signature` in `thinking` block");
}

}  // namespace

std::string sign_thinking(std::string_view thinking, const Request& request) {
  Hash prefix = start_of_prefix(request);
  add_value(prefix, request.messages);
  return signature(thinking, prefix);
}

Refusal check_signatures(const Request& request) {
  Hash prefix = start_of_prefix(request);
  const Place place("messages");
  JsonValue message = request.messages.first();
  for (std::uint32_t i = 0; i < request.messages.size(); ++i, message = message.next()) {
    const JsonValue content = message["content"];
    const Place message_at(place, i);
    const Place content_at(message_at, "content");
    const bool blocks = message["role"].equals("assistant") && content.is(JsonKind::Array);
    JsonValue block = blocks ? content.first() : JsonValue();
    for (std::uint32_t k = 0; blocks && k < content.size(); ++k, block = block.next()) {
      if (auto refusal = check_block(block, Place(content_at, k), prefix)) return refusal;
    }
    add_value(prefix, message);
  }
  return nullptr;
}

}  // namespace ba::scripted
