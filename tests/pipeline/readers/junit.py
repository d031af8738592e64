"""Prints what junitparser reads of a JUnit file: class, name and result of each case, and the counts of suites."""

import json
import sys
from importlib import import_module

junitparser = import_module("junitparser")  # of an environment of its own: this project does not declare it
suites = junitparser.JUnitXml.fromfile(sys.argv[1])
json.dump(
    {
        "counts": [sum(suite.tests for suite in suites), sum(suite.failures for suite in suites)],
        "cases": [
            [case.classname, case.name, *(type(one).__name__.lower() for one in case.result)]
            for suite in suites
            for case in suite
        ],
    },
    sys.stdout,
)
