"""What holds in every test of the library: nothing warns unless the test says so."""

import warnings
from collections.abc import Iterator

import pytest


@pytest.fixture(autouse=True)
def warnings_are_errors() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("error", append=True)  # after what a test itself asks for
        yield
