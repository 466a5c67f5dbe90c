// SPDX-License-Identifier: Apache-2.0
#include "pipeline/text/contract/proto_scalar.hpp"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>
#include <google/protobuf/timestamp.pb.h>
#include <google/protobuf/util/time_util.h>

#include <charconv>
#include <cmath>
#include <limits>
#include <optional>

#include "pipeline/text/contract/base64.hpp"

namespace ba {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

std::string must_be(const char* expected, const JsonScalar& value) {
  constexpr const char* kFound[] = {"a boolean", "a number", "a number", "a number", "a string"};
  return std::string("must be ") + expected + ", not " + kFound[value.index()];
}

template <typename Number>
std::optional<Number> parsed(std::string_view text) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return number;
}

std::optional<std::int64_t> integer_of(const JsonScalar& value) {
  if (const auto* number = std::get_if<std::int64_t>(&value)) return *number;
  if (const auto* number = std::get_if<std::uint64_t>(&value)) {
    if (*number > std::numeric_limits<std::int64_t>::max()) return std::nullopt;
    return static_cast<std::int64_t>(*number);
  }
  if (const auto* number = std::get_if<double>(&value)) {
    const bool whole = std::nearbyint(*number) == *number && std::fabs(*number) < 9.2e18;
    return whole ? std::optional(static_cast<std::int64_t>(*number)) : std::nullopt;
  }
  if (const auto* text = std::get_if<std::string_view>(&value)) return parsed<std::int64_t>(*text);
  return std::nullopt;
}

std::optional<double> real_of(const JsonScalar& value) {
  if (const auto* number = std::get_if<double>(&value)) return *number;
  if (const auto* number = std::get_if<std::int64_t>(&value)) return static_cast<double>(*number);
  if (const auto* number = std::get_if<std::uint64_t>(&value)) return static_cast<double>(*number);
  if (const auto* text = std::get_if<std::string_view>(&value)) {
    const auto number = parsed<double>(*text);
    return number && std::isfinite(*number) ? number : std::nullopt;
  }
  return std::nullopt;
}

class Setter {
 public:
  Setter(Message& message, const FieldDescriptor& field)
      : message_(message), field_(field), reflection_(*message.GetReflection()) {}

  std::string set(const JsonScalar& value) {
    switch (field_.cpp_type()) {
      case FieldDescriptor::CPPTYPE_STRING:
        return set_text(value);
      case FieldDescriptor::CPPTYPE_INT32:
      case FieldDescriptor::CPPTYPE_INT64:
        return set_integer(value);
      case FieldDescriptor::CPPTYPE_DOUBLE:
        return set_real(value);
      case FieldDescriptor::CPPTYPE_BOOL:
        return set_boolean(value);
      case FieldDescriptor::CPPTYPE_MESSAGE:
        return set_message(value);
      default:
        return "has a type that no schema of this program uses";
    }
  }

 private:
  std::string set_text(const JsonScalar& value) {
    const auto* text = std::get_if<std::string_view>(&value);
    if (text == nullptr) return must_be("a string", value);
    std::string bytes(*text);
    if (field_.type() == FieldDescriptor::TYPE_BYTES) {
      auto decoded = base64_decoded(*text);
      if (!decoded) return "must be base64";
      bytes = std::move(*decoded);
    }
    if (field_.is_repeated())
      reflection_.AddString(&message_, &field_, std::move(bytes));
    else
      reflection_.SetString(&message_, &field_, std::move(bytes));
    return "";
  }

  std::string set_integer(const JsonScalar& value) {
    const bool narrow = field_.cpp_type() == FieldDescriptor::CPPTYPE_INT32;
    const auto number = integer_of(value);
    if (!number) return must_be(narrow ? "an integer of 32 bits" : "an integer of 64 bits", value);
    if (narrow && (*number > std::numeric_limits<std::int32_t>::max() ||
                   *number < std::numeric_limits<std::int32_t>::min()))
      return "must be an integer of 32 bits, not " + std::to_string(*number);
    if (narrow)
      reflection_.SetInt32(&message_, &field_, static_cast<std::int32_t>(*number));
    else
      reflection_.SetInt64(&message_, &field_, *number);
    return "";
  }

  std::string set_real(const JsonScalar& value) {
    const auto number = real_of(value);
    if (!number) return must_be("a finite number", value);
    reflection_.SetDouble(&message_, &field_, *number);
    return "";
  }

  std::string set_boolean(const JsonScalar& value) {
    const auto* truth = std::get_if<bool>(&value);
    if (truth == nullptr) return must_be("true or false", value);
    reflection_.SetBool(&message_, &field_, *truth);
    return "";
  }

  std::string set_message(const JsonScalar& value) {
    const bool is_time =
        field_.message_type() == google::protobuf::Timestamp::descriptor() && !field_.is_repeated();
    if (!is_time) return must_be("an object", value);
    const auto* text = std::get_if<std::string_view>(&value);
    if (text == nullptr) return must_be("an RFC 3339 time", value);
    auto& time =
        static_cast<google::protobuf::Timestamp&>(*reflection_.MutableMessage(&message_, &field_));
    const bool good = google::protobuf::util::TimeUtil::FromString(std::string(*text), &time);
    return good ? "" : "must be an RFC 3339 time such as 2026-03-01T12:00:00Z";
  }

  Message& message_;
  const FieldDescriptor& field_;
  const Reflection& reflection_;
};

}  // namespace

std::string set_proto_scalar(Message& message, const FieldDescriptor& field,
                             const JsonScalar& value) {
  return Setter(message, field).set(value);
}

}  // namespace ba
