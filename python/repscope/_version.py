"""The version. A wheel has the version of its build."""

VERSION = "1.0.0"
