#!/usr/bin/python3 -I
# SPDX-License-Identifier: Apache-2.0
"""Whether Prometheus can read the alerts and the dashboard's queries of ops/dashboards, and Grafana the dashboard's
panels. That each metric and label in them exists is the business of tests/worker/observe/dashboards_test.cpp."""

import json
import os
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), "../../ops"))

# pylint: disable=wrong-import-position
from rig.prometheus import dashboard, dashboard_queries, promtool

WIDTH = 24  # of Grafana's grid


def checked_as_rules(queries):
    """promtool reads a query only as a rule's."""
    rules = [{"record": f"query:{number}", "expr": query} for number, query in enumerate(queries)]
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "rules.json"), "w", encoding="utf-8") as file:
            json.dump({"groups": [{"name": "dashboard", "rules": rules}]}, file)
        return promtool("check", "rules", "rules.json", folder=folder)


def panels_of(node):
    """All that stand on the grid, rows and what they hold too."""
    for panel in node["panels"]:
        yield panel
        if "panels" in panel:
            yield from panels_of(panel)


def squares(panel):
    place = panel["gridPos"]
    return {(x, y) for x in range(place["x"], place["x"] + place["w"])
            for y in range(place["y"], place["y"] + place["h"])}


class Alerts(unittest.TestCase):
    def test_are_rules(self):
        code, said = promtool("check", "rules", "--lint=all", "--lint-fatal", "alerts.yaml")
        self.assertEqual(code, 0, said)
        self.assertIn("16 rules found", said)

    def test_are_sent_when_they_should_be(self):
        code, said = promtool("test", "rules", "alerts_test.yaml")
        self.assertEqual(code, 0, said)


class Dashboard(unittest.TestCase):
    def test_queries_are_ones(self):
        queries = dashboard_queries("5m")
        self.assertGreater(len(queries), 50)
        code, said = checked_as_rules(queries)
        self.assertEqual(code, 0, said)
        self.assertIn(f"{len(queries)} rules found", said)

    def test_a_wrong_query_is_found(self):
        code, said = checked_as_rules(["up", "sum by (job) (rate(up[5m])"])
        self.assertEqual(code, 1, said)
        self.assertIn("parse error", said)

    def test_panels_have_numbers_of_their_own_and_lie_beside_each_other(self):
        panels = list(panels_of(dashboard()))
        self.assertGreater(len(panels), 30)
        self.assertEqual(len({panel["id"] for panel in panels}), len(panels))
        taken = {}
        for panel in panels:
            for square in squares(panel):
                self.assertLess(square[0], WIDTH, panel["title"])
                self.assertNotIn(square, taken, f"{panel['title']} lies on {taken.get(square)}")
                taken[square] = panel["title"]

    def test_queries_of_a_panel_have_names_and_sources_that_there_are(self):
        variables = {"${" + variable["name"] + "}": variable["query"] for variable in dashboard()["templating"]["list"]
                     if variable["type"] == "datasource"}
        for panel in panels_of(dashboard()):
            targets = panel.get("targets", [])
            self.assertTrue(targets or panel["type"] in ("row", "text"), panel["title"])
            self.assertEqual(len({target["refId"] for target in targets}), len(targets), panel["title"])
            for target in targets:
                source = target.get("datasource") or panel["datasource"]
                self.assertEqual(variables.get(source["uid"]), source["type"], panel["title"])
                self.assertEqual("expr" in target, source["type"] == "prometheus", panel["title"])


if __name__ == "__main__":
    unittest.main()
