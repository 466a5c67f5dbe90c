# SPDX-License-Identifier: Apache-2.0
"""Forks, compared with the jobs that they were made of: the rounds that are kept, with what skills did in them, and all that
went before are the origin's, word for word."""

_MADE = """
SELECT f.tenant, f.job_id, o.job_id AS forked_from, d.from_round AS rounds_kept,
  {kept_of_fork} AS kept, {kept_of_origin} AS kept_there, {skills_of_fork} AS skills, {skills_of_origin} AS skills_there,
  (SELECT json_agg(i.message ORDER BY i.n) FROM inherited_messages i WHERE i.conversation = f.conversation) AS before,
  (SELECT json_agg(m.message ORDER BY m.job, m.round, m.step, m.idx) FROM messages m
   WHERE m.conversation = o.conversation AND m.job < o.id) AS before_there
FROM redrives d JOIN jobs o ON o.id = d.job JOIN jobs f ON (f.tenant, f.job_id) = (d.new_tenant, d.new_job_id)"""
_KEPT = """
  (SELECT json_agg(json_build_array(m.round, m.step, m.idx, m.message) ORDER BY m.round, m.step, m.idx)
   FROM messages m WHERE m.job = {0}.id AND m.round < d.from_round)"""
_SKILLS = """
  (SELECT json_agg(json_build_array(u.round, u.step, u.idx, u.activation_id, u.skill, u.hash, u.depth, u.done_step)
                   ORDER BY u.round, u.step, u.idx)
   FROM skill_uses u WHERE u.job = {0}.id AND u.round < d.from_round)"""
_QUERY = _MADE.format(kept_of_fork=_KEPT.format("f"), kept_of_origin=_KEPT.format("o"), skills_of_fork=_SKILLS.format("f"),
                      skills_of_origin=_SKILLS.format("o"))
_SAME = (("kept", "kept_there", "its rounds"), ("skills", "skills_there", "the skills in them"),
         ("before", "before_there", "what went before"))


def _identity(fork):
    return fork["tenant"], fork["job_id"], fork["forked_from"], fork["rounds_kept"]


class Forked:
    """Of an installation at rest. `forks` are the jobs that are some, as Forker has them. `counts` of what was kept."""

    def __init__(self, installation, forks):
        self.violations = []
        self.counts = {"rounds kept": 0, "skills kept": 0, "with a history": 0}
        made = installation.database.rows(_QUERY)
        self._compare({_identity(fork) for fork in made}, {_identity(fork) for fork in forks})
        for fork in made:
            self.counts["rounds kept"] += fork["rounds_kept"]
            self.counts["skills kept"] += len(fork["skills"] or ())
            self.counts["with a history"] += fork["before"] is not None
            for here, there, what in _SAME:
                if fork[here] != fork[there]:
                    self.violations.append(f"the fork {fork['tenant']}/{fork['job_id']} of {fork['forked_from']} from round"
                                           f" {fork['rounds_kept']} has not {what}: {fork[here]}, right is {fork[there]}")

    def _compare(self, made, wanted):
        self.violations += [f"the fork {fork} is there, and nobody was told of it" for fork in sorted(made - wanted)]
        self.violations += [f"the fork {fork} was made, and is not there" for fork in sorted(wanted - made)]
