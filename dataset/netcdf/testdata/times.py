"""Writes times.json: numbers of times with their dates, and seconds since 2000-01-01 of the same calendar, by cftime."""
import json
import pathlib
import random

import cftime

random.seed(1)
UNITS = ["hours since 1900-01-01", "days since 1850-1-1 00:00:00", "seconds since 1970-01-01T00:00:00Z", "days since 0001-01-01", "minutes since 2016-02-28 12:30:00 +01:30",
         "hours since 1600-03-01 06:00:0.0", "days since 1582-10-01"]
CALENDARS = ["standard", "gregorian", "proleptic_gregorian", "julian", "noleap", "365_day", "all_leap", "366_day", "360_day"]
cases = []
for calendar in CALENDARS:
    for units in UNITS:
        for days in (0, 60, random.randrange(800000)):
            value = days * {"h": 24, "d": 1, "s": 86400, "m": 1440}[units[0]] + random.choice([0, 0.25, 6]) * {"h": 1, "d": 0.25, "s": 3600, "m": 60}[units[0]]
            date = cftime.num2date(value, units, calendar)
            seconds = cftime.date2num(date, "seconds since 2000-01-01", calendar)
            cases.append({"units": units, "calendar": calendar, "value": value, "date": date.strftime("%Y-%m-%d %H:%M").rjust(16, "0"), "seconds": float(seconds)})
path = pathlib.Path(__file__).parent / "times.json"
path.write_text('{"cftime": "' + cftime.__version__ + '", "cases": [\n' + ",\n".join(json.dumps(c) for c in cases) + "\n]}\n")
