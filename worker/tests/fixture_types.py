"""Types of the fixtures that return functions."""

from collections.abc import Callable

MIB = 2**20

MakeSandbox = Callable[..., int]  # (size_bytes, medium) -> device id
RemoveSandbox = Callable[[int], None]  # (device id)
StartRun = Callable[..., int]  # (device_id, profile, **changes of the request) -> run id
AgeHere = Callable[[int], None]  # (run id)
