"""The version of this package, and of the library and the command that it works with."""
__version__ = "0.1.0"
