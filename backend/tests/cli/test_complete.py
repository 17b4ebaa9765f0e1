"""What the page can do, the command can do: every operation of the API is used by a command, or is listed here."""

import ast
import json
import re
from collections.abc import Iterator
from pathlib import Path

from patina.cli import app
from patina.settings import PROJECT_DIR

METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE")
# Each with the reason why no command uses it.
WITHOUT_COMMAND = {
    "stream_jobs": "pushes events to the page; the command asks for them",
    "stream_job": "likewise",
    "join_host": "is what `patina-worker join` sends",
    "list_intakes": "has what `patina jobs --kind import` lists",
    "open_shared_link": "is for readers without an account, in a browser",
    "get_image_download_digest": "has an address that the list of downloads gives",
    "begin_openid": "is for a browser, which visits the provider",
    "finish_openid": "likewise",
    "disconnect_openid": "ends what a browser has connected, on the same page",
    "get_health": "is for monitoring programs",
    "get_readiness": "likewise",
    "get_version": "likewise",
    "get_metrics": "likewise",
}


def test_every_operation_has_a_command_or_a_reason() -> None:
    used = _used()
    operations = dict(_operations())
    without = {name for name, (method, path) in operations.items() if not any(_is(each, method, path) for each in used)}
    assert without - WITHOUT_COMMAND.keys() == set(), "no command uses these"
    assert WITHOUT_COMMAND.keys() - without == set(), "a command uses these, or they are gone"


def _operations() -> Iterator[tuple[str, tuple[str, str]]]:
    """Yields each operation of the OpenAPI document with its method and its path, parameters as {}."""
    document = json.loads((PROJECT_DIR / "frontend/openapi.json").read_text(encoding="utf-8"))
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            below = re.sub(r"{[^}]*}", "{}", path.removeprefix("/api/v1"))
            yield operation["operationId"], (method.upper(), below)


def _used() -> set[tuple[str, str]]:
    """Returns the method and the path of each request in the sources of the command; a formatted value is {}."""
    files = Path(app.__file__).parent.rglob("*.py")
    trees = [ast.parse(file.read_text(encoding="utf-8")) for file in files]
    functions = [node for tree in trees for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    return {found for function in functions for found in _requests_of(function)}


def _requests_of(function: ast.FunctionDef) -> Iterator[tuple[str, str]]:
    nodes = list(ast.walk(function))
    texts = {
        target.id: text
        for node in nodes
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name)
        for text in _texts(node.value, {})
    }
    for node in nodes:
        if isinstance(node, ast.Call):
            yield from _requests(node, texts)


def _requests(call: ast.Call, texts: dict[str, str]) -> Iterator[tuple[str, str]]:
    method = "POST" if isinstance(call.func, ast.Name) and call.func.id == "_steer" else "GET"
    for argument in [*call.args, *(keyword.value for keyword in call.keywords)]:
        for text in _texts(argument, texts):
            if text in METHODS:
                method = text
            elif text.startswith(("/", "{}/")):
                yield method, text.removeprefix("/api/v1").partition("?")[0]


def _texts(node: ast.expr, texts: dict[str, str]) -> Iterator[str]:
    """Yields the text of a literal, of both sides of a choice, of a formatted string, and of a variable with one."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value
    elif isinstance(node, ast.Name) and node.id in texts:
        yield texts[node.id]
    elif isinstance(node, ast.IfExp):
        yield from (*_texts(node.body, texts), *_texts(node.orelse, texts))
    elif isinstance(node, ast.JoinedStr):
        yield "".join(_part(part, texts) for part in node.values)


def _part(part: ast.expr, texts: dict[str, str]) -> str:
    if isinstance(part, ast.Constant):
        return str(part.value)
    value = part.value if isinstance(part, ast.FormattedValue) else None
    return texts.get(value.id, "{}") if isinstance(value, ast.Name) else "{}"


def _is(used: tuple[str, str], method: str, path: str) -> bool:
    """Reports whether a request is this operation. A path that begins with a value ends as the operation's does."""
    used_method, used_path = used
    if used_method != method:
        return False
    return path == used_path or (used_path.startswith("{}/") and path.endswith(used_path.removeprefix("{}")))
