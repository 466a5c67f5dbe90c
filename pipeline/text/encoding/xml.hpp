#pragma once
// SPDX-License-Identifier: Apache-2.0
// JSON's values as XML 1.0 elements, without loss and with few characters. Inside an element:
//   an object's members   an element named as the member, or <key name="…"> where the name is no
//                         XML name of ASCII letters, digits, '_', '.' and '-'
//   an array's elements   <item>
//   null, true, 1.5       as JSON writes them
//   a string              its text; with type="string" where it reads like one of these
// type="object" and type="array" mark what is empty, and an object whose first member is "item".
// Characters that XML can't hold stand as JSON escapes: type="escaped" in text, escaped="…" in the
// place of name="…". Only this form is read again. Pure functions, any thread.

#include <string>
#include <string_view>

#include "pipeline/base/error.hpp"
#include "pipeline/text/encoding/json_document.hpp"

namespace ba {

/// Appends `<name>…</name>` of a value nested at most kEncodedDepthMax deep; `name` is an XML name.
void append_xml_element(std::string& out, std::string_view name, const OrderedJson& value);

enum class XmlPlace { Text, Attribute };

/// A text as it stands in an element or in an attribute's quotes; what XML can't hold becomes
/// U+FFFD.
void append_xml_text(std::string& out, std::string_view text, XmlPlace place);

/// `<tool_result name="…">`
std::string tool_result_tag(std::string_view tool);

/// Of such a document: the value in <data>. Or of <data>…</data> alone. InvalidArgument names the
/// line and what would be right, LimitExceeded the limit (json_document.hpp).
Result<OrderedJson> xml_decode(std::string_view text);

}  // namespace ba
