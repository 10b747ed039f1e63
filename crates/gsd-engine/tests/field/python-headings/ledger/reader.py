"""Reads statements."""


def read_statement(path):
    return []
