#pragma once
// SPDX-License-Identifier: Apache-2.0
// What is still to be asked of the catalog before a verdict. Pure; any thread.

#include "worker/tools/sql/resolved/catalog_facts.hpp"
#include "worker/tools/sql/resolved/literal_hazards.hpp"
#include "worker/tools/sql/resolved/statement_verdict.hpp"

namespace ba {

/// Of the objects found so far, those that nothing is known of. `asked`: objects without a fact of
/// their own that were asked for before. `known`: what users have put behind the system's objects.
CatalogQuestion open_question(const StatementVerdict& verdict, const ResolvedStatement& asked,
                              const LiteralHazards& known);

}  // namespace ba
