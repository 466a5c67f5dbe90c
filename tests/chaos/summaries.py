# SPDX-License-Identifier: Apache-2.0
"""Summaries that a model wrote beside the jobs (script.yaml), compared with the calls that it got: each row was paid
once at most, and each that is there was paid. One that was lost with its worker is counted with its job's wasted
calls."""

_ASKED = "SELECT state, count(*) AS n FROM summaries WHERE NOT reused GROUP BY state"
BEGINS = "Round "  # what a model is asked for a summary


class Summaries:
    """Of an installation at rest. `violations`; `counts` by state, and those that were used again."""

    def __init__(self, installation):
        self.violations = []
        self.counts = {row["state"]: row["n"] for row in installation.database.rows(_ASKED)}
        asked = sum(self.counts.values())
        paid = sum(n for question, n in installation.model.paid_calls().items() if question.startswith(BEGINS))
        ready = self.counts.get("ready", 0)
        if not ready <= paid <= asked:
            self.violations.append(f"{paid} summaries were paid; of {asked} that were asked for {ready} are ready")
        if self.counts.get("writing"):
            self.violations.append(f"{self.counts['writing']} summaries are still being written")
        self.counts["used again"] = installation.database.value("SELECT count(*) AS n FROM summaries WHERE reused")
