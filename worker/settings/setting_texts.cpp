// SPDX-License-Identifier: Apache-2.0
// Texts, secrets, and the files that hold them.
#include "storage/libpq/conninfo.hpp"
#include "worker/settings/masking.hpp"
#include "worker/settings/setting_values.hpp"
#include "worker/settings/small_file.hpp"
#include "worker/settings/text_problem.hpp"

namespace ba::settings {
namespace {

/// A file's content, and whether it is a secret: line ends don't belong to one, and others must not
/// read it.
enum class Content { Text, Secret };

void drop_line_ends(std::string& value) {
  while (!value.empty() && (value.back() == '\n' || value.back() == '\r')) value.pop_back();
}

/// Whether <key>_file names a file; the key itself counts as wrong where that can't be read, as
/// nobody is to miss the value as well.
bool read_named_file(const GivenValue& given, std::string& value, Content kind) {
  const GivenValue file(given.map(), given.key() + "_file");
  if (given.map().lists_everything()) file.show("\"\"");
  const std::string* name = file.scalar("the name of a file");
  if (name == nullptr) return false;
  if (given.node() != nullptr)
    given.error(SettingProblem::Kind::Conflict,
                given.key() + " and " + file.key() + " are both set: keep one");
  const auto unusable = [&](const std::string& why) {
    file.error(SettingProblem::Kind::Unreadable, why);
    given.map().findings().wrong_keys.insert(given.map().path_of(given.key()));
  };
  auto content = read_small_file(*name);
  if (!content) {
    unusable(content.error().message);
    return false;
  }
  value = std::move(*content);
  if (kind == Content::Secret) drop_line_ends(value);
  if (value.empty()) unusable("the file is empty: " + *name);
  if (const std::string problem = text_problem(value); !problem.empty())
    file.error(SettingProblem::Kind::Unreadable, "the text in " + *name + " " + problem);
  if (const std::string exposed = exposure_of(*name); kind == Content::Secret && !exposed.empty())
    file.map().findings().warning(file.map().place_of(file.key()), file.map().path_of(file.key()),
                                  exposed);
  file.show(quoted(*name));
  return true;
}

}  // namespace

void read_value(const GivenValue& given, std::string& value) {
  if (const std::string* scalar = given.scalar("a text")) {
    if (holds_mask(*scalar))
      given.error(SettingProblem::Kind::Masked, mask_left(""));
    else
      value = *scalar;
  }
  given.show_text(value);
}

void read_value(const GivenValue& given, Secret& value) {
  std::string text;
  const bool in_file = read_named_file(given, text, Content::Secret);
  if (const std::string* scalar = given.secret_scalar()) {
    if (is_mask(*scalar))
      given.error(SettingProblem::Kind::Masked, mask_left(given.key() + "_file"));
    else
      text = *scalar;
  }
  if (!in_file) given.show(text.empty() ? "\"\"" : quoted(kMaskedSecret));
  given.hide(text);
  value = Secret(std::move(text));
}

void read_value(const GivenValue& given, const TextOrFile& value) {
  const bool in_file = read_named_file(given, value.text, Content::Text);
  if (const std::string* scalar = given.scalar("a text")) value.text = *scalar;
  if (!in_file) given.show(quoted(value.text));
}

void read_value(const GivenValue& given, const PgAddress& value) {
  const bool in_file = read_named_file(given, value.url, Content::Secret);
  if (const std::string* scalar = given.secret_scalar()) {
    if (is_mask(*scalar) || holds_mask(*scalar))
      given.error(SettingProblem::Kind::Masked, mask_left(given.key() + "_file"));
    else
      value.url = *scalar;
  }
  given.hide_secrets_in(value.url);
  given.hide(storage::conninfo_value(value.url, "password"));
  if (!in_file) given.show(quoted(storage::shown_conninfo(value.url, kMaskedSecret)));
  const auto problem = storage::conninfo_problem(value.url);
  if (!problem) return;
  const std::string file_key = given.key() + "_file";
  const std::string& wrong = given.map().given(file_key) != nullptr ? file_key : given.key();
  given.map().refuse(
      wrong, {.kind = SettingProblem::Kind::NotAllowed,
              .words = *problem + "; expected postgresql://user:password@host:port/database"});
}

void read_secret_files(const GivenValue& given, std::map<std::string, std::string>& secrets) {
  std::map<std::string, std::string> files;
  read_value(given, files);
  for (const auto& [name, file] : files) {
    auto content = read_small_file(file);
    if (!content) {
      refuse_entry(given.map(), given.key(), name, SettingProblem::Kind::Unreadable,
                   content.error().message);
      continue;
    }
    drop_line_ends(*content);
    if (content->empty())
      refuse_entry(given.map(), given.key(), name, SettingProblem::Kind::Unreadable,
                   "the file is empty: " + file);
    given.hide(*content);
    if (const std::string exposed = exposure_of(file); !exposed.empty())
      given.map().findings().warning(given.map().place_of(given.key()),
                                     given.map().path_of(given.key()), name + ": " + exposed);
    secrets[name] = std::move(*content);
  }
}

}  // namespace ba::settings
