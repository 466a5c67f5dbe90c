// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "pipeline/base/exact_json.hpp"
#include "pipeline/text/encoding/number_text.hpp"
#include "pipeline/text/encoding/xml.hpp"
#include "pipeline/text/encoding/xml_text.hpp"

namespace ba {
namespace {

constexpr std::string_view kItem = "item";
constexpr std::string_view kKey = "key";

class Writer {
 public:
  explicit Writer(std::string& out) : out_(out) {}

  /// `name_attribute`: of a member whose name is no XML name, else empty.
  void element(std::string_view name, const std::string& name_attribute, const OrderedJson& value) {
    out_ += '<';
    out_ += name;
    out_ += name_attribute;
    if (const std::string_view type = type_of(value); !type.empty()) {
      out_ += " type=\"";
      out_ += type;
      out_ += '"';
    }
    if (value.is_string() ? value.get_ref<const std::string&>().empty()
                          : value.is_structured() && value.empty()) {
      out_ += "/>";
      return;
    }
    out_ += '>';
    content(value);
    out_ += "</";
    out_ += name;
    out_ += '>';
  }

 private:
  static std::string_view type_of(const OrderedJson& value) {
    if (value.is_array()) return value.empty() ? "array" : "";
    if (value.is_object()) {
      return value.empty() || value.begin().key() == kItem ? "object" : "";
    }
    if (!value.is_string()) return "";
    const auto& text = value.get_ref<const std::string&>();
    if (!fits_xml(text)) return "escaped";
    const bool ambiguous =
        text == "null" || text == "true" || text == "false" || is_json_number(text);
    return ambiguous ? "string" : "";
  }

  void content(const OrderedJson& value) {
    if (value.is_array()) {
      for (const OrderedJson& element_value : value) element(kItem, "", element_value);
    } else if (value.is_object()) {
      for (auto member = value.begin(); member != value.end(); ++member)
        this->member(member.key(), member.value());
    } else if (value.is_string()) {
      const auto& text = value.get_ref<const std::string&>();
      if (fits_xml(text))
        append_xml_text(out_, text, XmlPlace::Text);
      else
        append_xml_text(out_, xml_escaped(text), XmlPlace::Text);
    } else {
      out_ += number_text(value);
    }
  }

  void member(const std::string& name, const OrderedJson& value) {
    if (is_plain_xml_name(name)) return element(name, "", value);
    const bool fits = fits_xml(name);
    std::string attribute = fits ? " name=\"" : " escaped=\"";
    append_xml_text(attribute, fits ? name : xml_escaped(name), XmlPlace::Attribute);
    attribute += '"';
    element(kKey, attribute, value);
  }

  std::string& out_;
};

}  // namespace

void append_xml_element(std::string& out, std::string_view name, const OrderedJson& value) {
  Writer(out).element(name, "", value);
}

std::string tool_result_tag(std::string_view tool) {
  std::string tag = "<tool_result name=\"";
  append_xml_text(tag, tool, XmlPlace::Attribute);
  return tag + "\">";
}

}  // namespace ba
