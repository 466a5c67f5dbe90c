// SPDX-License-Identifier: Apache-2.0
#include "worker/tools/sql/resolved/open_question.hpp"

namespace ba {

CatalogQuestion open_question(const StatementVerdict& verdict, const ResolvedStatement& asked,
                              const LiteralHazards& known) {
  CatalogQuestion question;
  const ResolvedStatement& found = verdict.resolved;
  for (const auto& [oid, by] : found.functions)
    if (!verdict.facts.functions.contains(oid)) question.functions.insert(oid);
  for (const Oid32 oid : found.samplers)
    if (oid >= kFirstUserOid && !verdict.facts.functions.contains(oid))
      question.functions.insert(oid);
  for (const auto& [oid, by] : found.relations)
    if (!verdict.facts.relations.contains(oid)) question.relations.insert(oid);
  for (const Oid32 oid : found.sequences)
    if (!verdict.facts.relations.contains(oid)) question.relations.insert(oid);
  for (const auto& [oid, commands] : found.targets)
    if (!verdict.facts.relations.contains(oid)) question.relations.insert(oid);
  for (const Oid32 oid : found.operators)
    if (!asked.operators.contains(oid)) question.operators.insert(oid);
  for (const Oid32 oid : found.types)
    if (oid >= kFirstUserOid && !asked.types.contains(oid)) question.types.insert(oid);
  for (const Oid32 oid : found.system_operators)
    if (known.extended_operators.contains(oid) && !asked.operators.contains(oid))
      question.operators.insert(oid);
  for (const Oid32 oid : found.system_types)
    if (known.extended_types.contains(oid) && !asked.types.contains(oid))
      question.types.insert(oid);
  for (const Oid32 oid : found.stored)
    if (oid >= kFirstUserOid && !asked.stored.contains(oid)) question.views.insert(oid);
  return question;
}

}  // namespace ba
