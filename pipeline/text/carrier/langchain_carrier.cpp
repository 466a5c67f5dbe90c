// SPDX-License-Identifier: Apache-2.0
// LangChain's dicts: the stored form (pipeline/text/message/langchain_json) and around it what that
// has no place for, kept under additional_kwargs.langchain: lists of blocks as content, names,
// response_metadata, artifacts. So what LangChain wrote is written again as it was.
#include <algorithm>

#include "pipeline/text/carrier/formats.hpp"
#include "pipeline/text/carrier/kept_form.hpp"
#include "pipeline/text/message/langchain_json.hpp"
#include "pipeline/text/message/migration.hpp"
#include "pipeline/text/message/raw_object.hpp"

namespace ba {
namespace {

constexpr CarrierFormat kOwn = CarrierFormat::Langchain;

/// Of a list of texts and blocks, the texts.
std::string text_of(JsonView content) {
  if (content.is(JsonKind::String)) return content.text();
  std::string text;
  content.for_each_element([&](JsonView block) {
    if (block.is(JsonKind::String)) block.append_text(text);
    if (block["type"].equals("text")) block["text"].append_text(text);
  });
  return text;
}

/// Whether blocks other than text stand there: thinking, calls, and what only a provider knows.
bool has_other_blocks(JsonView content) {
  bool other = false;
  content.for_each_element([&](JsonView block) {
    other = other || (block.is(JsonKind::Object) && !block["type"].equals("text"));
  });
  return other;
}

/// Usage that isn't written as it was: other details, or none of those that we write.
bool has_other_counts(JsonView usage) {
  if (usage.absent()) return false;
  const JsonView input = usage["input_token_details"];
  const JsonView output = usage["output_token_details"];
  const bool all = !input["cache_read"].absent() && !input["cache_creation"].absent() &&
                   !output["reasoning"].absent();
  return !all || !members_but(input, {"cache_read", "cache_creation"}).empty() ||
         !members_but(output, {"reasoning"}).empty();
}

/// Whether the stored form has it.
bool is_ours(std::string_view name) {
  static constexpr std::string_view kOurs[] = {
      "content",        "additional_kwargs", "type",  "id", "tool_calls", "invalid_tool_calls",
      "usage_metadata", "tool_call_id",      "status"};
  return std::find(std::begin(kOurs), std::end(kOurs), name) != std::end(kOurs);
}

std::string foreign_members(JsonView data, std::string_view type) {
  RawObject foreign;
  data.for_each_member([&](std::string_view name, JsonView value) {
    if (value.absent() || is_ours(name)) return;
    const bool tool_name = name == "name" && type == "tool";
    const bool default_value = (name == "response_metadata" && value.raw() == "{}") ||
                               (name == "example" && value.raw() == "false");
    if (!tool_name && !default_value) foreign.set(name, std::string(value.raw()));
  });
  if (has_other_counts(data["usage_metadata"]))
    foreign.set("usage_metadata", std::string(data["usage_metadata"].raw()));
  const std::string json = foreign.json();
  return json.substr(1, json.size() - 2);
}

class MessageReader {
 public:
  MessageReader(const CarrierInput& in, JsonView json, std::string field)
      : in_(in), json_(json), field_(std::move(field)) {}

  void read() {
    in_.reader.check_object(json_, field_);
    if (const auto present = to_present_version(); !present)
      return in_.reader.refuse(field_ + ".data.additional_kwargs.ba.schema_version",
                               "can't be read: " + present.error().message);
    const JsonView data = json_["data"];
    in_.reader.check_object(data, field_ + ".data");
    if (!in_.reader.good()) return;
    const std::string type = json_["type"].text();
    const JsonView content = data["content"];
    AiMessage blocks;
    const bool of_blocks = type == "ai" && has_other_blocks(content);
    auto message = of_blocks ? read_with_blocks(blocks) : message_from_json(json_.raw());
    if (!message) return refuse(message.error().message);
    std::vector<std::string> call_fields;
    if (auto* ai = std::get_if<AiMessage>(&*message)) {
      if (of_blocks) take_blocks(*ai, std::move(blocks));
      call_fields = fields_of(*ai);
    }
    keep_form(meta_of(*message), kOwn, content.is(JsonKind::Array) ? content.raw() : "",
              foreign_members(data, type));
    in_.builder.add(std::move(*message), field_, std::move(call_fields));
  }

 private:
  Result<void> to_present_version() {
    RawObject root(json_);
    const auto changed = migrate_message(root);
    if (!changed) return changed.error();
    if (!*changed) return {};
    migrated_ = root.json();
    json_ = JsonView::of_proven(migrated_);
    return {};
  }

  Result<Message> read_with_blocks(AiMessage& blocks) {
    blocks = read_langchain_blocks(in_, json_["data"], field_ + ".data");
    RawObject data(json_["data"]);
    data.set_text("content", blocks.text);
    RawObject root(json_);
    root.set("data", data.json());
    return message_from_json(root.json());
  }

  void take_blocks(AiMessage& message, AiMessage blocks) {
    message.thinking = blocks.thinking + message.thinking;
    if (!message.extra) message.extra = std::move(blocks.extra);
    std::size_t i = 0;
    for (const ToolCall& call : blocks.tool_calls) {
      while (i < message.tool_calls.size() && message.tool_calls[i].id != call.id) ++i;
      if (i++ >= message.tool_calls.size())
        return in_.reader.refuse(
            field_ + ".data.tool_calls",
            "must hold the call \"" + call.id.value + "\" of the content, in its order");
    }
  }

  std::vector<std::string> fields_of(const AiMessage& message) const {
    std::vector<std::string> fields;
    std::size_t valid = 0;
    std::size_t invalid = 0;
    for (const ToolCall& call : message.tool_calls)
      fields.push_back(call.valid() ? field_ + ".data.tool_calls[" + std::to_string(valid++) + "]"
                                    : field_ + ".data.invalid_tool_calls[" +
                                          std::to_string(invalid++) + "]");
    return fields;
  }

  /// "message: data.id must be a string" of the stored form's reader.
  void refuse(std::string_view why) {
    if (const std::size_t colon = why.find(": "); why.starts_with("message"))
      why.remove_prefix(colon + 2);
    const std::size_t space = why.find(' ');
    std::string member(why.substr(0, space));
    if (member.ends_with(':')) member.pop_back();
    in_.reader.refuse(field_ + "." + member, std::string(why.substr(space + 1)));
  }

  const CarrierInput& in_;
  JsonView json_;
  const std::string field_;
  std::string migrated_;
};

/// Then nobody needs to be told where they stood.
bool invalid_calls_are_last(const AiMessage& message) {
  return std::is_partitioned(message.tool_calls.begin(), message.tool_calls.end(),
                             [](const ToolCall& call) { return call.valid(); });
}

/// The stored form, with additional_kwargs as whoever made the message knows them.
class MessageWriter {
 public:
  MessageWriter(FieldReader& reader, const Message& message, std::string field)
      : reader_(reader),
        message_(message),
        field_(std::move(field)),
        kept_(kept_form(meta_of(message), kOwn)),
        content_(kept_["content"]),
        stored_(message_to_json(message)),
        root_(JsonView::of_proven(stored_)),
        data_(root_["data"]) {}

  std::string write() {
    const AiMessage blocks = blocks_of_content();
    if (meta_of(message_).message_id.empty()) data_.set("id", "null");
    data_.set("additional_kwargs", kwargs(blocks));
    put_back_members();
    put_back_content();
    root_.set("data", data_.json());
    return root_.json();
  }

 private:
  /// What the content says by its blocks, so that it isn't said twice.
  AiMessage blocks_of_content() {
    if (!std::holds_alternative<AiMessage>(message_) || !has_other_blocks(content_)) return {};
    RawObject data = data_;
    data.set("content", std::string(content_.raw()));
    const std::string json = data.json();
    ConversationBuilder nobody(reader_, "");
    Losses losses;
    return read_langchain_blocks({reader_, nobody, losses, ""}, JsonView::of_proven(json), field_);
  }

  std::string kwargs(const AiMessage& blocks) {
    RawObject kwargs(data_["additional_kwargs"]);
    kwargs.erase(name_of(kCarrierFormatNames, kOwn));
    const std::string ba = own_members(kwargs["ba"], blocks);
    if (ba.empty())
      kwargs.erase("ba");
    else
      kwargs.set("ba", ba);
    const auto* ai = std::get_if<AiMessage>(&message_);
    if (ai != nullptr && !blocks.thinking.empty() && ai->thinking.starts_with(blocks.thinking)) {
      kwargs.erase("reasoning_content");
      const std::string beside = ai->thinking.substr(blocks.thinking.size());
      if (!beside.empty()) kwargs.set_text("reasoning_content", beside);
    }
    return kwargs.json();
  }

  /// `ba` without what is not known and what blocks say already; "" when nothing is left.
  std::string own_members(JsonView ba, const AiMessage& blocks) const {
    RawObject kept(ba);
    if (meta_of(message_).timestamp == WallTime{}) kept.erase("timestamp");
    const auto* ai = std::get_if<AiMessage>(&message_);
    if (ai != nullptr && ai->extra && ai->extra == blocks.extra) {
      kept.erase("provider");
      kept.erase("provider_json");
    }
    if (ai != nullptr && invalid_calls_are_last(*ai)) kept.erase("invalid_positions");
    RawObject rest = kept;
    rest.erase("schema_version");
    return rest.empty() ? "" : kept.json();
  }

  void put_back_members() {
    const bool result = std::holds_alternative<ToolMessage>(message_);
    kept_.for_each_member([&](std::string_view name, JsonView value) {
      const bool own = is_ours(name) ? name == "usage_metadata" : !(result && name == "name");
      if (own) data_.set(name, std::string(value.raw()));
    });
    if (kept_.absent()) return;
    RawObject root = root_;
    root.set("data", data_.json());
    if (!message_from_json(root.json()))
      reader_.refuse(field_ + ".additional_kwargs.langchain",
                     "doesn't fit the message; take it out, or correct it");
  }

  void put_back_content() {
    if (content_.absent()) return;
    if (text_of(content_) != data_["content"].text())
      reader_.refuse(field_ + ".additional_kwargs.langchain.content",
                     "doesn't say what the message says; take it out, or correct it");
    data_.set("content", std::string(content_.raw()));
  }

  FieldReader& reader_;
  const Message& message_;
  const std::string field_;
  const JsonView kept_;
  const JsonView content_;
  const std::string stored_;
  RawObject root_;
  RawObject data_;
};

}  // namespace

void read_langchain(const CarrierInput& in, JsonView messages) {
  std::size_t index = 0;
  for (const JsonView json : in.reader.elements(messages, "messages")) {
    MessageReader(in, json, message_field(index++)).read();
    if (!in.reader.good()) return;
  }
}

void write_langchain(const CarrierOutput& out, const std::vector<Message>& messages) {
  out.text.messages = "[";
  for (std::size_t i = 0; i < messages.size(); ++i) {
    if (i > 0) out.text.messages += ',';
    out.text.messages += MessageWriter(out.reader, messages[i], message_field(i)).write();
  }
  out.text.messages += ']';
}

}  // namespace ba
