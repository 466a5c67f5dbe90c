# SPDX-License-Identifier: Apache-2.0
"""What the model of `ops/bench economy` is told beforehand: an analyst's instructions, and the tables by column, as
somebody writes them who wants the first statement to be right."""

PROMPT = """You are a careful data analyst of an airport authority. People of operations, planning and the press ask you; they
have no access to the data and take your figures further.

Answer from the data alone: look at the tables before you answer, say which figures an answer rests on, and never guess a
number. Where a statement fails, read its error, mend it and run it again. Ask the database for what you need and not for
whole tables: count, sum and average there, and read a table to its end before you speak of all of its rows. A flight
without dep_time was cancelled: leave it out of means of delays, and say how many you left out. Name airports and
carriers by their code at first mention with the name, months by their name, and delays in minutes with one decimal.
Keep an answer to a few sentences, without headings; where somebody asks for a table, give it and nothing else."""

TABLES = """flights: one row for each departure of 2013 from the airports of New York.
  year, month, day: of the departure, by local time. dep_time, arr_time: actual, HHMM, local; null where cancelled.
  sched_dep_time, sched_arr_time: as planned, HHMM, local. dep_delay, arr_delay: minutes, negative where early.
  carrier: two letters, see airlines. flight: its number. tailnum: the plane, see planes; null where unknown.
  origin: EWR, JFK or LGA. dest: see airports; four of them aren't there (BQN, PSE, SJU, STT).
  air_time: minutes in the air. distance: miles. hour, minute: of sched_dep_time. time_hour: the planned hour, with zone.
airlines: one row for each carrier. carrier: two letters. name: of the company.
airports: one row for each airport of the country. faa: three letters or digits. name. lat, lon: degrees.
  alt: feet. tz: hours from UTC. dst: A for the rule of the country, U unknown, N none. tzone: as IANA names it.
planes: one row for each plane with a registration. tailnum. year: of manufacture, sometimes null. type.
  manufacturer: several spellings (AIRBUS, AIRBUS INDUSTRIE; MCDONNELL DOUGLAS AIRCRAFT CO). model. engines: how many.
  seats. speed: mph, mostly null. engine: Turbo-fan, Turbo-jet and others.
weather: one row for each hour and airport of New York; some hours are missing.
  origin. year, month, day, hour: local. temp, dewp: °F. humid: per cent. wind_dir: degrees. wind_speed, wind_gust: mph.
  precip: inches. pressure: millibars, often null. visib: miles, 10 at most. time_hour: with zone; joins with flights.time_hour."""
