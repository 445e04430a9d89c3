"""The version of the package, set when a wheel is built."""

VERSION = "0.0.dev0"
