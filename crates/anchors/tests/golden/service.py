#!/usr/bin/env python3
"""A service."""
from __future__ import annotations

import functools
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, overload

if TYPE_CHECKING:
    from collections.abc import Iterator

MAX_RETRIES: int = 3
logger = make_logger(__name__)
first, second = 1, 2

type Pairs[T] = list[tuple[T, T]]


# Wraps a function.
#
# Tries again.
def retry(times: int = MAX_RETRIES):
    """Tries again.

    Several times.
    """

    def decorate(function):
        @functools.wraps(function)
        def wrapper(*args, **kwargs):
            attempts = 0
            while attempts < times:
                attempts += 1
            return function(*args, **kwargs)

        return wrapper

    return decorate


@dataclass(
    frozen=True,
)
class Request:
    """What is asked."""

    path: str
    headers: dict[str, str] = field(default_factory=dict)
    VERBS = ("GET", "POST")

    class Meta:
        ordering = ["path"]

        def describe(self) -> str:
            return "meta"

    @property
    def name(self) -> str:
        return self.path

    @name.setter
    def name(self, value: str) -> None:
        self.path = value

    @staticmethod
    @functools.cache
    def parse(
        text: str,  # what came
        *,
        strict: bool = False,
    ) -> "Request":
        # not a docstring
        return Request(text)

    async def send(self): return await go(self)

    handler = lambda self: None


class Größe(Request, metaclass=Meta):
    pass


@overload
def load(key: int) -> int: ...
@overload
def load(key: str) -> str: ...
def load(key):
    return key


if __name__ == "__main__":
    def main() -> None:
        print("x")

    main()


if sys.platform == "win32":
    def lock(file: int) -> None:
        msvcrt.locking(file)
else:
    def lock(file: int) -> None:
        fcntl.flock(file)


@load.register
def _(key: bytes) -> bytes:
    return key
@load.register
def _(key: list) -> list:
    return key


class Limits:
    @functools.cached_property
    def most(self) -> int:
        return self._most

    @most.setter
    def most(self, value: int) -> None:
        self._most = value

    @most.deleter
    def most(self) -> None:
        del self._most
    @least.setter
    def most(self, other: int) -> None:
        self._least = other

    @typing.overload
    def get(self, key: int) -> int: ...
    @typing.overload  # and again
    def get(self, key: str) -> str: ...
    def get(self, key):
        return key
