#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Runs a script in Python up to the point where it has read its arguments: only_parse.py SCRIPT ARGUMENT...

Exit code 0: it understood them. Whatever the script would do next isn't done.
"""

import argparse
import os
import runpy
import sys

PARSE = argparse.ArgumentParser.parse_args


def parse_and_end(self, *arguments, **named):
    PARSE(self, *arguments, **named)
    sys.exit(0)


argparse.ArgumentParser.parse_args = parse_and_end
sys.argv = sys.argv[1:]
sys.path.insert(0, os.path.dirname(os.path.abspath(sys.argv[0])))
runpy.run_path(sys.argv[0], run_name="__main__")
sys.exit(f"{sys.argv[0]} never read its arguments")
