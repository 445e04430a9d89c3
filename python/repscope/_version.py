"""The version: of a wheel, what it was built as."""

VERSION = "0.0.dev0"
