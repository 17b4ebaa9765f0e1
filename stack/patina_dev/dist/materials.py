"""`python -m patina_dev.dist.materials VENV`: the bill of materials of the packages, CycloneDX in JSON.

Python's parts are those of the virtual environment, as cyclonedx-py lists them; the page's those of its lock file, as
npm lists them; the core's the Debian packages whose headers its objects were compiled with.
"""

import json
import os
import re
import subprocess
import sys
import uuid
from datetime import UTC, datetime
from pathlib import Path

from cyclonedx.model.bom import Bom, BomMetaData
from cyclonedx.model.component import Component, ComponentType
from cyclonedx.model.dependency import Dependency
from cyclonedx.model.license import DisjunctiveLicense
from cyclonedx.output import make_outputter
from cyclonedx.schema import OutputFormat, SchemaVersion
from packageurl import PackageURL

from patina import __version__
from patina_stack import PROJECT_DIR

_CORE_BUILD = PROJECT_DIR / "native/build"
_HEADER = re.compile(r"^ {4}(/usr/\S+)$", re.MULTILINE)


def document(environment: Path) -> str:
    """Returns the document. CalledProcessError if a tool fails."""
    product = Component(
        name="patina", version=__version__, type=ComponentType.APPLICATION, bom_ref="patina",
        licenses=[DisjunctiveLicense(id="Apache-2.0")],
    )  # fmt: skip
    parts = [_of_python(environment), _of_page(), Bom(components=_of_core())]
    roots = [part.metadata.component for part in parts if part.metadata.component is not None]
    components = [*roots, *(component for part in parts for component in part.components)]
    known = [dependency for part in parts for dependency in part.dependencies]
    built = datetime.fromtimestamp(int(os.environ["SOURCE_DATE_EPOCH"]), UTC)
    bom = Bom(
        serial_number=uuid.uuid5(uuid.NAMESPACE_URL, " ".join(sorted(str(each.purl) for each in components))),
        metadata=BomMetaData(component=product, timestamp=built),
        components=components,
        dependencies=[Dependency(product.bom_ref, [Dependency(each.bom_ref) for each in components]), *known],
    )
    return make_outputter(bom, OutputFormat.JSON, SchemaVersion.V1_6).output_as_string(indent=1)


def _of_python(environment: Path) -> Bom:
    program = str(Path(sys.executable).with_name("cyclonedx-py"))
    return _read(json.loads(_output([program, "environment", "--output-reproducible", str(environment)])))


def _of_page() -> Bom:
    """Returns npm's list without what only the development needs. (`--omit=dev` leaves out react as well.)"""
    listed = json.loads(_output(["npm", "--prefix=frontend", "sbom", "--sbom-format=cyclonedx", "--package-lock-only"]))
    development = {"name": "cdx:npm:package:development", "value": "true"}
    omitted = {part["bom-ref"] for part in listed["components"] if development in part["properties"]}
    listed["components"] = [part for part in listed["components"] if part["bom-ref"] not in omitted]
    listed["dependencies"] = [
        each | {"dependsOn": [ref for ref in each["dependsOn"] if ref not in omitted]}
        for each in listed["dependencies"]
        if each["ref"] not in omitted
    ]
    return _read(listed)


def _read(document: object) -> Bom:
    bom: Bom = Bom.from_json(document)  # type: ignore[attr-defined] # of its decorator
    return bom


def _of_core() -> list[Component]:
    """Returns the packages of the headers of the core's objects, without those of its tests."""
    objects = _output(["ninja", "-C", str(_CORE_BUILD), "-t", "deps"]).split("\n\n")
    headers = {path for each in objects if "_test" not in each.partition(":")[0] for path in _HEADER.findall(each)}
    owners = _output(["dpkg-query", "--search", *sorted({os.path.realpath(path) for path in headers})])
    packages = sorted({line.partition(": ")[0] for line in owners.splitlines()})
    shown = _output(["dpkg-query", "--show", "--showformat=${Package} ${Version} ${Architecture}\n", *packages])
    return [_of_debian(*line.split()) for line in shown.splitlines()]


def _of_debian(name: str, version: str, architecture: str) -> Component:
    url = PackageURL("deb", "debian", name, version, {"arch": architecture})
    return Component(name=name, version=version, purl=url, bom_ref=str(url), type=ComponentType.LIBRARY)


def _output(argv: list[str]) -> str:
    return subprocess.run(argv, cwd=PROJECT_DIR, stdout=subprocess.PIPE, text=True, check=True).stdout


if __name__ == "__main__":
    sys.stdout.write(document(Path(sys.argv[1])))
