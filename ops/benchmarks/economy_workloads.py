# SPDX-License-Identifier: Apache-2.0
"""What `ops/bench economy` asks the flights of 2013, and what the scripted model does for it: which statements it
runs, and from which row it takes its answer. It reads a table in any encoding."""

import dataclasses

from rig.database import psql

TENANT = "economy"
LARGE_ROWS = 20000
_MONTHS = ("to_char(make_date(2013, month, 1), 'Mon') AS in_month, count(*) AS flights,"
           " round(avg(dep_delay), 1) AS minutes_late, count(*) FILTER (WHERE dep_delay IS NULL) AS cancelled")
_CARRIERS = ("UA", "B6", "EV", "DL", "AA")
_ANALYSIS_MONTHS = (1, 6, 11)


@dataclasses.dataclass(frozen=True)
class Query:
    sql: str
    key: str = ""  # first column of the row whose next column is the value; empty: nothing is taken from it
    whole: bool = False  # a table that must be read to its end

    def value(self, observation):
        """The template of the value, in JSON as in `compact`: the name of the column may stand between."""
        return f"{{{{observation.{observation} | regex '{self.key}\\W+(?:\\w+\\W+)??(\\d[\\d.]*)'}}}}"


@dataclasses.dataclass(frozen=True)
class Question:
    name: str  # no other question has it
    text: str
    queries: tuple
    answer: str  # {0}, {1}: what was taken from the queries that have a key

    def asked(self):
        return f"Case {self.name}: {self.text}"


@dataclasses.dataclass(frozen=True)
class Workload:
    name: str
    jobs: tuple  # of tuples of questions
    reads_all: bool = True  # a plain loop's context has room for every row

    def records(self):
        return [{"tenant": TENANT, "job_id": questions[0].name, "messages": [q.asked() for q in questions]}
                for questions in self.jobs]


def entries(workload, asks_again):
    """The script. `asks_again`: tables are cut short, so the model asks the first one once more with
    output_level full, and the next ones like that at once."""
    found = []
    for questions in workload.jobs:
        knows = False
        for question in questions:
            steps, values = [], []
            for query in question.queries:
                arguments = {"sql": query.sql}
                if asks_again and query.whole:
                    if not knows:
                        steps.append(arguments)
                    knows, arguments = True, {"sql": query.sql, "output_level": "full"}
                steps.append(arguments)
                if query.key:
                    values.append(query.value(len(steps) - 1))
            then = [{"tool_calls": [{"name": "query_database", "args": arguments}]} for arguments in steps]
            found.append({"when": {"regex": rf"Case {question.name}:"},
                          "then": [*then, {"text": question.answer.format(*values)}]})
    return found


def _monthly(where):
    return Query(f"SELECT {_MONTHS} FROM flights WHERE {where} GROUP BY month ORDER BY month", "Dec", whole=True)


def _lookups():
    return Workload("lookup of one row", tuple(
        (Question(f"L{month}{carrier}", f"how many flights did {carrier} have in month {month} of 2013?",
                  (Query(f"SELECT carrier, count(*) AS flights FROM flights WHERE carrier = '{carrier}' AND month = {month}"
                         " GROUP BY carrier", carrier),), carrier + " had {0} flights."),)
        for month in range(1, 5) for carrier in _CARRIERS))


def _tables_of_12():
    return Workload("table of 12 rows", tuple(
        (Question(f"M{carrier}", f"show the months of {carrier}; how many flights were there in December?",
                  (_monthly(f"carrier = '{carrier}'"),), "{0} flights in December."),)
        for carrier in _CARRIERS))


def _tables_of_200(url):
    jobs = []
    for number, first in enumerate(("N1", "N3", "N5", "N7", "N9")):
        sql = (f"SELECT tailnum, year, seats FROM planes WHERE year IS NOT NULL AND tailnum > '{first}'"
               " ORDER BY tailnum LIMIT 200")
        last = psql(url, f"SELECT max(tailnum) FROM ({sql}) p").strip()
        jobs.append((Question(f"P{number}", f"list 200 planes from {first} on; of which year is the last one?",
                              (Query(sql, last, whole=True),), f"{last} is of " + "{0}."),))
    return Workload("table of 200 rows", tuple(jobs))


def _large_table():
    order = "time_hour, carrier, flight, origin"
    rows = (f"SELECT 'F' || lpad(row_number() OVER (ORDER BY {order})::text, 5, '0') AS id, carrier, flight, dest,"
            f" dep_delay FROM flights WHERE dep_delay IS NOT NULL ORDER BY {order} LIMIT {LARGE_ROWS}")
    mean = (f"SELECT 'mean' AS what, round(avg(dep_delay), 2) AS minutes FROM (SELECT dep_delay FROM flights"
            f" WHERE dep_delay IS NOT NULL ORDER BY {order} LIMIT {LARGE_ROWS}) f")
    question = Question("T", "look at the first 20,000 departures; how late were they on average?",
                        (Query(rows), Query(mean, "mean")), "{0} minutes late.")
    return Workload("table of 20,000 rows", ((question,),), reads_all=False)


def _by(column, month, limit=30):
    return (f"SELECT {column}, count(*) AS flights, round(avg(dep_delay), 1) AS minutes_late FROM flights"
            f" WHERE month = {month} GROUP BY {column} ORDER BY flights DESC, {column} LIMIT {limit}")


def _analyses():
    jobs = []
    for month in _ANALYSIS_MONTHS:
        here = f"month = {month}"
        queries = (
            Query(_by("carrier", month), "UA", True), Query(_by("origin", month), "LGA", True),
            Query(_by("dest", month), "ATL", True),
            Query("SELECT 'h' || lpad(hour::text, 2, '0') AS in_hour, count(*) AS flights, round(avg(dep_delay), 1) AS"
                  f" minutes_late FROM flights WHERE {here} GROUP BY hour ORDER BY hour", "h21", True),
            Query("SELECT 'day' || day AS on_day, count(*) AS flights, count(*) FILTER (WHERE dep_delay IS NULL) AS"
                  f" cancelled FROM flights WHERE {here} GROUP BY day ORDER BY day", "day28", True),
            Query("SELECT origin, round(avg(temp))::integer AS degrees, round(avg(visib)::numeric, 1) AS miles FROM"
                  f" weather WHERE {here} GROUP BY origin ORDER BY origin", "LGA", True),
            Query("SELECT split_part(manufacturer, ' ', 1) AS maker, count(*) AS flights FROM flights JOIN planes USING"
                  f" (tailnum) WHERE {here} GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT 12", "BOEING", True),
            Query("SELECT carrier, count(*) AS flights, round(avg(dep_delay), 1) AS minutes_late FROM flights"
                  f" WHERE {here} AND dest = 'ATL' GROUP BY carrier ORDER BY 2 DESC, 1", "DL", True))
        answer = ("UA flew {0} times, LaGuardia had {1} departures, Atlanta was the goal of {2}; {3} left after nine in the"
                  " evening, {4} on the 28th; {5} degrees; {6} in planes of Boeing, {7} with Delta to Atlanta.")
        jobs.append((Question(f"A{month}", f"why were flights of month {month} late? Look at carriers, airports, goals,"
                              " hours, days, weather, planes, and at Atlanta.", queries, answer),))
    return Workload("analysis of 8 steps", tuple(jobs))


def _conversation(url):
    goals = psql(url, "SELECT dest FROM flights GROUP BY dest HAVING count(DISTINCT month) = 12"
                      " ORDER BY count(*) DESC, dest LIMIT 40").split()
    return Workload("conversation of 40 rounds", (tuple(
        Question(f"C{goal}", f"and the months of {goal}? How many flights went there in December?",
                 (_monthly(f"dest = '{goal}'"),), "{0} flights to " + goal + " in December.") for goal in goals),))


def _similar():
    sql = ("SELECT carrier, count(*) AS flights, round(avg(dep_delay), 1) AS minutes_late FROM flights"
           " GROUP BY carrier ORDER BY carrier")
    return Workload("100 similar jobs at once", tuple(
        (Question(f"S{number}", "which carrier was late most, and how many flights had UA?",
                  (Query(sql, "UA", whole=True),), "UA had {0} flights."),) for number in range(100)))


def workloads(url):
    return [_lookups(), _tables_of_12(), _tables_of_200(url), _large_table(), _analyses(), _conversation(url),
            _similar()]
