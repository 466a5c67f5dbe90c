// SPDX-License-Identifier: Apache-2.0
#include "pipeline/text/carrier/kept_form.hpp"

#include "pipeline/text/message/job_time.hpp"

namespace ba {

void keep_form(MessageMeta& meta, CarrierFormat format, std::string_view content,
               std::string members) {
  if (content.empty() && members.empty()) return;
  std::string entry = "{";
  if (!content.empty()) {
    entry += "\"content\":";
    entry += content;
    if (!members.empty()) entry += ',';
  }
  entry += members;
  meta.additional_kwargs[std::string(name_of(kCarrierFormatNames, format))] = entry + "}";
}

JsonView kept_form(const MessageMeta& meta, CarrierFormat format) {
  const auto entry = meta.additional_kwargs.find(std::string(name_of(kCarrierFormatNames, format)));
  if (entry == meta.additional_kwargs.end()) return {};
  const JsonView value = JsonView::of_proven(entry->second);
  return value.is(JsonKind::Object) ? value : JsonView();
}

JsonView kept_content(FieldReader& reader, const MessageMeta& meta, CarrierFormat format,
                      std::string_view text, const std::string& field) {
  const JsonView content = kept_form(meta, format)["content"];
  if (content.absent()) return {};
  const std::string where = field + ".additional_kwargs." +
                            std::string(name_of(kCarrierFormatNames, format)) + ".content";
  const TextParts parts =
      read_text_parts(reader, content, where, {"text", "input_text", "output_text"});
  if (parts.text != text)
    reader.refuse(where, "doesn't say what the message says; take it out, or correct it");
  return content;
}

void write_content(ObjectWriter& out, std::string_view name, JsonView kept, std::string_view text) {
  if (kept.absent())
    out.text(name, text);
  else
    out.raw(name, kept.raw());
}

std::string kept_members(const MessageMeta& meta, CarrierFormat format) {
  return members_but(kept_form(meta, format),
                     {"content", "role", "type", "text", "id", "output", "tool_use_id",
                      "tool_call_id", "call_id", "is_error"});
}

JsonView extra_of(const AiMessage& message, std::string_view protocol) {
  if (!message.extra) return {};
  const std::string_view provider = message.extra->provider;
  if (provider.substr(0, provider.find('/')) != protocol) return {};
  const auto json = JsonView::parse(message.extra->json);
  return json ? *json : JsonView();
}

bool has_same_calls(JsonView elements, std::string_view type, std::string_view id_member,
                    const AiMessage& message) {
  std::size_t next = 0;
  bool same = elements.is(JsonKind::Array);
  elements.for_each_element([&](JsonView element) {
    if (!element["type"].equals(type)) return;
    same = same && next < message.tool_calls.size() &&
           element[id_member].text() == message.tool_calls[next].id.value;
    ++next;
  });
  return same && next == message.tool_calls.size();
}

std::string extra_origin_of(std::string_view protocol, std::string_view provider) {
  std::string origin(protocol);
  if (!provider.empty()) origin += "/" + std::string(provider);
  return origin;
}

void count_losses(Losses& losses, const Message& message, CarrierFormat target,
                  std::string_view protocol, const std::string& field) {
  const MessageMeta& meta = meta_of(message);
  for (const auto& [name, json] : meta.additional_kwargs) {
    if (name == name_of(kCarrierFormatNames, target) || name == kImportedIdKwarg) continue;
    if (name == kJobTimeKwarg) continue;  // the worker's word, not the user's
    if (name == kOpenaiRoleKwarg && target != CarrierFormat::Anthropic) continue;
    losses.add("additional_kwargs", field + ".additional_kwargs." + name);
  }
  const auto* ai = std::get_if<AiMessage>(&message);
  if (ai == nullptr) return;
  const bool kept = !extra_of(*ai, protocol).absent();
  if (ai->extra && !kept)
    losses.add("what only its provider understands (signatures, reasoning items)", field);
  if (!(ai->usage == Usage{})) losses.add("usage", field);
}

}  // namespace ba
