#pragma once
// SPDX-License-Identifier: Apache-2.0
// What a message keeps of the form it came in, so that it can be written in that form again: an
// entry of its additional_kwargs under the form's name, with the members that the neutral model has
// no word for, and `content` where the text alone would not do. Pure functions, any thread.

#include <string>
#include <string_view>

#include "pipeline/text/carrier/carrier.hpp"
#include "pipeline/text/carrier/field_reader.hpp"
#include "pipeline/text/message/json_text.hpp"
#include "pipeline/text/message/message.hpp"

namespace ba {

/// `members` as `"name":value,…`; `content`, as it stood, if it isn't empty. Nothing of both: no
/// entry.
void keep_form(MessageMeta& meta, CarrierFormat format, std::string_view content,
               std::string members);

/// The entry, or Missing. Lives as long as the message.
JsonView kept_form(const MessageMeta& meta, CarrierFormat format);

/// Its content, which must still say `text`; Missing when there is none.
JsonView kept_content(FieldReader& reader, const MessageMeta& meta, CarrierFormat format,
                      std::string_view text, const std::string& field);

/// The content that was kept, or else the text.
void write_content(ObjectWriter& out, std::string_view name, JsonView kept, std::string_view text);

/// Its other members, but for those that every message of the form has.
std::string kept_members(const MessageMeta& meta, CarrierFormat format);

/// The JSON of what a provider of this protocol sent with this message; Missing when it is another
/// protocol's. The protocol is what stands before the "/" of ProviderExtra::provider.
JsonView extra_of(const AiMessage& message, std::string_view protocol);

/// Whether what a provider sent has the calls of the message and no others: elements of the `type`,
/// with the call's id as `id_member`.
bool has_same_calls(JsonView elements, std::string_view type, std::string_view id_member,
                    const AiMessage& message);

/// Who keeps it: the protocol, or protocol/name.
std::string extra_origin_of(std::string_view protocol, std::string_view provider);

/// Counts what of a message no provider's form can hold, but for the protocol's own.
void count_losses(Losses& losses, const Message& message, CarrierFormat target,
                  std::string_view protocol, const std::string& field);

/// OpenAI has two roles for what is a SystemMessage here. Which one it was stands where LangChain's
/// own integration puts it.
inline constexpr std::string_view kOpenaiRoleKwarg = "__openai_role__";

inline void keep_openai_role(MessageMeta& meta, std::string_view role) {
  if (role == "developer") meta.additional_kwargs[std::string(kOpenaiRoleKwarg)] = "\"developer\"";
}

inline std::string_view openai_role(const SystemMessage& message) {
  const auto entry = message.meta.additional_kwargs.find(std::string(kOpenaiRoleKwarg));
  const bool developer =
      entry != message.meta.additional_kwargs.end() && entry->second == "\"developer\"";
  return developer ? "developer" : "system";
}

}  // namespace ba
