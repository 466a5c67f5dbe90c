#pragma once
// SPDX-License-Identifier: Apache-2.0
// Section `tools.web_search` into the configuration of the search. A function over values of
// its caller; any thread.

#include "worker/tools/search/web_search_config.hpp"

namespace ba {

namespace settings {
class SectionReader;
}

/// `tools`: the section around it.
void read_web_search(settings::SectionReader& tools, WebSearchConfig& search);

}  // namespace ba
