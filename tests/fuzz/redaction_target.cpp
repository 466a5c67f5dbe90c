// SPDX-License-Identifier: Apache-2.0
// Any text, as a server or a model may say it: no known secret stays, wherever it stands and
// whatever is beside it; what is found by its form are spans in order, none empty; a text without
// its codes knows where it stood.
#include "pipeline/text/secret/coded_text.hpp"
#include "pipeline/text/secret/redaction.hpp"
#include "pipeline/text/secret/secret_forms.hpp"
#include "tests/fuzz/targets.hpp"

namespace ba::fuzz {

void redaction(std::string_view input) {
  std::size_t end = 0;
  for (const SecretSpan& span : secret_spans(input)) {
    BA_ASSERT(end <= span.begin && span.begin < span.end && span.end <= input.size());
    end = span.end;
  }
  CodedText coded(input);
  for (int step = 0; step < 3 && coded.resolve(); ++step)
    for (std::size_t at = 0; at < coded.text().size(); ++at)
      BA_ASSERT(coded.place(at) <= coded.place(at + 1) && coded.place(at + 1) <= input.size());
  const std::string secret = "s3cr\"t@\\value";
  const Redaction redaction({secret, "s3cr", "hunter22"});
  const std::size_t half = input.size() / 2;
  const std::string text =
      std::string(input.substr(0, half)) + secret + std::string(input.substr(half)) + "hunter22";
  for (const std::string& clean : {redaction.clean(text), redaction.without_known(text).value()})
    BA_ASSERT(clean.find(secret) == std::string::npos &&
              clean.find("hunter22") == std::string::npos);
}

}  // namespace ba::fuzz
