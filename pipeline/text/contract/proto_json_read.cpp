// SPDX-License-Identifier: Apache-2.0
#include "pipeline/text/contract/proto_json.hpp"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>
#include <google/protobuf/timestamp.pb.h>

#include <cmath>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <set>
#include <vector>

#include "pipeline/base/assert.hpp"
#include "pipeline/base/exact_json.hpp"
#include "pipeline/text/contract/json_capture.hpp"
#include "pipeline/text/contract/proto_scalar.hpp"
#include "pipeline/text/contract/text_check.hpp"
#include "pipeline/text/message/utf8.hpp"

namespace ba {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using Json = nlohmann::json;

/// A text that holds JSON: in the JSON form, the value itself may stand in the place of its text.
bool holds_json(const FieldDescriptor& field) {
  return field.full_name() == "ba.v1.AnalysisJob.answer_schema";
}

/// An object or array that is open. `field` is what the next value goes to: the member named last,
/// the repeated field of an array, the value of the last entry of a map; null where it is ignored.
struct Open {
  enum class Shape { Object, Array, Map, Ignored };
  Shape shape = Shape::Ignored;
  Message* message = nullptr;
  const FieldDescriptor* field = nullptr;
  const FieldDescriptor* map = nullptr;
  Message* map_owner = nullptr;
  std::string path;
  std::string name;          ///< of the last member
  bool named = false;        ///< its name is read, its value has not begun
  std::size_t elements = 0;  ///< begun, of an array
  std::set<std::string> names;
};

/// Fills a message while the JSON library reads (its SAX interface): no tree is built.
class Reader final : public nlohmann::json_sax<Json> {
 public:
  Reader(Message& root, const JobContractLimits& limits) : root_(root), limits_(limits) {}

  std::optional<DeadLetterReason> defect;

  bool null() override;
  bool boolean(bool value) override { return scalar(value); }
  bool number_integer(number_integer_t value) override { return scalar(std::int64_t{value}); }
  bool number_unsigned(number_unsigned_t value) override { return scalar(std::uint64_t{value}); }
  bool number_float(number_float_t value, const string_t& spelling) override {
    if (capture_) capture_->number(spelling);
    return scalar(value);
  }
  bool string(string_t& value) override { return scalar(std::string_view(value)); }
  bool binary(binary_t& written) override;
  bool start_object(std::size_t) override;
  bool key(string_t& name) override;
  bool end_object() override { return close(); }
  bool start_array(std::size_t) override;
  bool end_array() override { return close(); }
  bool parse_error(std::size_t, const std::string&, const Json::exception& error) override;

 private:
  bool fail(RecordCode reason, std::string message);
  bool count_node();
  void begin_value();
  bool is_root(const char* what);
  bool scalar(const JsonScalar& value);
  bool close();
  bool capture_object(Open open);
  bool push(Open open);
  std::string path() const;

  Message& root_;
  const JobContractLimits& limits_;
  std::vector<Open> open_;
  int nodes_ = 0;
  std::optional<JsonCapture> capture_;  ///< of the value that is being read
};

std::string Reader::path() const {
  if (open_.empty()) return "";
  const Open& top = open_.back();
  if (top.shape == Open::Shape::Array)
    return element_path(top.path, top.elements == 0 ? 0 : top.elements - 1);
  if (top.shape == Open::Shape::Map) return entry_path(top.path, top.name);
  return top.name.empty() ? top.path : member_path(top.path, top.name);
}

bool Reader::fail(RecordCode reason, std::string message) {
  defect = DeadLetterReason{reason, path(), std::move(message)};
  return false;
}

bool Reader::count_node() {
  if (++nodes_ <= limits_.json_nodes_max) return true;
  return fail("TOO_LARGE", "the JSON text has more than " + std::to_string(limits_.json_nodes_max) +
                               " values and names");
}

/// Counts the element that begins here, if the innermost open thing is an array.
void Reader::begin_value() {
  open_.back().named = false;
  if (open_.back().shape == Open::Shape::Array) ++open_.back().elements;
}

bool Reader::is_root(const char* what) {
  if (!open_.empty()) return false;
  fail("WRONG_TYPE", std::string("the record must be a JSON object, not ") + what);
  return true;
}

bool Reader::scalar(const JsonScalar& value) {
  if (!count_node() || is_root("a scalar")) return false;
  begin_value();
  const auto* text = std::get_if<std::string_view>(&value);
  if (text != nullptr && text->find('\0') != std::string_view::npos)
    return fail("BAD_UTF8", describe_utf8_defect(*text, text->find('\0')));
  if (capture_) capture_->scalar(value);
  const Open& top = open_.back();
  if (top.field == nullptr) return true;
  if (top.shape == Open::Shape::Object && top.field->is_repeated())
    return fail("WRONG_TYPE", top.field->is_map() ? "must be an object" : "must be an array");
  std::string expected = set_proto_scalar(*top.message, *top.field, value);
  return expected.empty() || fail("WRONG_TYPE", std::move(expected));
}

/// A number that is kept as it is written (exact_json.hpp).
bool Reader::binary(binary_t& written) {
  const std::string text(written.begin(), written.end());
  const double value = std::strtod(text.c_str(), nullptr);
  if (text == "-0" && !capture_) return scalar(std::int64_t{0});
  if (capture_ || std::isfinite(value)) return number_float(value, text);
  if (!open_.empty()) begin_value();
  return fail("BAD_JSON", "number overflow parsing '" + std::string(utf8_prefix(text, 80)) + "'");
}

/// Stands for the default of a field; as an element or as the value of a map it has no meaning.
bool Reader::null() {
  if (!count_node() || is_root("null")) return false;
  begin_value();
  if (capture_) {
    capture_->null();
    return true;
  }
  const Open& top = open_.back();
  const bool member = top.shape == Open::Shape::Object || top.shape == Open::Shape::Ignored;
  return member || fail("WRONG_TYPE", "must not be null");
}

bool Reader::push(Open open) {
  if (static_cast<int>(open_.size()) >= limits_.json_depth_max)
    return fail("BAD_JSON",
                "is nested deeper than " + std::to_string(limits_.json_depth_max) + " levels");
  open_.push_back(std::move(open));
  return true;
}

bool Reader::start_object(std::size_t) {
  if (!count_node()) return false;
  Open open;
  if (open_.empty()) {
    open.shape = Open::Shape::Object;
    open.message = &root_;
    return push(std::move(open));
  }
  begin_value();
  const Open& top = open_.back();
  open.path = path();
  if (capture_) capture_->open_object();
  if (top.field == nullptr) return push(std::move(open));
  if (holds_json(*top.field)) return capture_object(std::move(open));
  if (top.field->is_map() && top.shape == Open::Shape::Object) {
    open.shape = Open::Shape::Map;
    open.map = top.field;
    open.map_owner = top.message;
    return push(std::move(open));
  }
  const bool whole_list = top.field->is_repeated() && top.shape != Open::Shape::Array;
  const bool is_object = top.field->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE &&
                         top.field->message_type() != google::protobuf::Timestamp::descriptor();
  if (whole_list) return fail("WRONG_TYPE", "must be an array, not an object");
  if (!is_object) return fail("WRONG_TYPE", "must not be an object");
  open.shape = Open::Shape::Object;
  const auto* reflection = top.message->GetReflection();
  open.message = top.field->is_repeated() ? reflection->AddMessage(top.message, top.field)
                                          : reflection->MutableMessage(top.message, top.field);
  return push(std::move(open));
}

/// The value goes to the field that is named last, once it is whole.
bool Reader::capture_object(Open open) {
  capture_.emplace().open_object();
  return push(std::move(open));
}

bool Reader::start_array(std::size_t) {
  if (!count_node() || is_root("an array")) return false;
  begin_value();
  const Open& top = open_.back();
  Open open;
  open.path = path();
  if (capture_) capture_->open_array();
  if (top.field != nullptr) {
    const bool fits = top.shape == Open::Shape::Object && top.field->is_repeated();
    if (!fits || top.field->is_map()) return fail("WRONG_TYPE", "must not be an array");
    open.shape = Open::Shape::Array;
    open.message = top.message;
    open.field = top.field;
  }
  return push(std::move(open));
}

bool Reader::key(string_t& name) {
  if (!count_node()) return false;
  Open& top = open_.back();
  top.name = name;
  top.named = true;
  std::string seen_as = name;
  if (name.find('\0') != std::string::npos) return fail("BAD_UTF8", "its name has a NUL character");
  if (top.shape == Open::Shape::Object) {
    const Descriptor* type = top.message->GetDescriptor();
    top.field = type->FindFieldByName(name);
    if (top.field == nullptr) top.field = type->FindFieldByCamelcaseName(name);
    if (top.field != nullptr) top.name = seen_as = top.field->name();
  }
  if (!top.names.insert(std::move(seen_as)).second)
    return fail("BAD_JSON", "is given more than once");
  if (capture_) capture_->name(name);
  if (top.shape == Open::Shape::Map) {
    const auto* reflection = top.map_owner->GetReflection();
    top.message = reflection->AddMessage(top.map_owner, top.map);
    top.message->GetReflection()->SetString(top.message, top.map->message_type()->map_key(), name);
    top.field = top.map->message_type()->map_value();
  }
  return true;
}

bool Reader::close() {
  open_.pop_back();
  if (!capture_) return true;
  capture_->close();
  if (!capture_->whole()) return true;
  const Open& top = open_.back();
  top.message->GetReflection()->SetString(top.message, top.field, capture_->text());
  capture_.reset();
  return true;
}

bool Reader::parse_error(std::size_t, const std::string&, const Json::exception& error) {
  const bool in_value =
      open_.empty() || open_.back().shape == Open::Shape::Array || open_.back().named;
  if (!open_.empty()) begin_value();  // what could not be read would have begun here
  // The library's text may quote bytes that are no UTF-8: only what stands before them is taken.
  std::string text = error.what();
  const std::size_t name_end = text.find("] ");
  if (name_end != std::string::npos) text.erase(0, name_end + 2);
  text.resize(std::min(text.find("; last read"), text.size()));
  const bool bad_utf8 = text.find("UTF-8") != std::string::npos;
  fail(bad_utf8 ? RecordCode("BAD_UTF8") : RecordCode("BAD_JSON"), std::move(text));
  // The name of a member, of which the one before it must not be accused.
  if (bad_utf8 && !in_value) defect->field = open_.back().path;
  return false;
}

}  // namespace

std::optional<DeadLetterReason> read_proto_json(std::string_view json,
                                                const JobContractLimits& limits,
                                                google::protobuf::Message& message) {
  Reader reader(message, limits);
  // To the library a NUL byte is the end of the text.
  const bool whole = json.find('\0') == std::string_view::npos;
  if (whole && sax_exact<Json>(json, reader)) return std::nullopt;
  if (reader.defect) return std::move(reader.defect);
  // Once more with the library's own parser, which says what is wrong.
  message.Clear();
  Reader telling(message, limits);
  if (!Json::sax_parse(json.begin(), json.end(), &telling)) {
    BA_ASSERT(telling.defect.has_value());
    return std::move(telling.defect);
  }
  return DeadLetterReason{
      "BAD_JSON", "",
      whole ? "is not JSON that can be read" : "there is a NUL byte behind the JSON text"};
}

}  // namespace ba
