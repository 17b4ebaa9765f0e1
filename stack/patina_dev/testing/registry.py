"""A real OCI registry, Debian's docker-registry, and skopeo, which copies to and from it."""

import json
import os
import subprocess
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

from patina_dev.testing.wait import HANG_S, wait_until
from patina_stack.services import free_port


class Registry:
    """The server, with its data in a folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._port = free_port()
        self.blobs_dir = folder / "data" / "docker" / "registry" / "v2" / "blobs" / "sha256"
        config = {
            "version": "0.1",
            "log": {"level": "error", "accesslog": {"disabled": True}},
            "storage": {"filesystem": {"rootdirectory": str(folder / "data")}},
            "http": {"addr": f"127.0.0.1:{self._port}"},
        }
        (folder / "registry.json").write_text(json.dumps(config))  # JSON is YAML
        with (folder / "registry.log").open("ab") as log:
            argv = ["docker-registry", "serve", str(folder / "registry.json")]
            self._process = subprocess.Popen(argv, stdout=log, stderr=log)
        try:
            wait_until("the registry answers", self._answers)
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Ends the server."""
        self._process.terminate()
        self._process.wait(HANG_S)

    def push(self, archive: Path, name: str) -> None:
        """Copies the one image of an OCI archive to the registry."""
        self._skopeo("copy", "--dest-tls-verify=false", f"oci-archive:{archive}", self._place(name))

    def pull(self, name: str, archive: Path) -> None:
        """Copies an image of the registry to a new OCI archive."""
        self._skopeo("copy", "--src-tls-verify=false", self._place(name), f"oci-archive:{archive}")

    def manifest(self, name: str) -> Any:
        """Returns the manifest as the registry has it."""
        return json.loads(self._skopeo("inspect", "--raw", "--tls-verify=false", self._place(name)))

    def blobs(self) -> set[str]:
        """Returns the digests of all blobs, in hex."""
        return {folder.name for folder in self.blobs_dir.glob("*/*")}

    def _skopeo(self, *words: str) -> str:
        return skopeo(*words, folder=self._folder)

    def _place(self, name: str) -> str:
        return f"docker://127.0.0.1:{self._port}/patina/{name}"

    def _answers(self) -> bool:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self._port}/v2/", timeout=2) as answer:
                return bool(answer.status == 200)
        except (urllib.error.URLError, OSError):
            return False


def skopeo(*words: str, folder: Path) -> str:
    """Runs skopeo, with its cache and its temporary files in the folder. Returns its output."""
    # As another account than root it has its cache where these say.
    place = {"XDG_DATA_HOME": str(folder / "skopeo"), "_CONTAINERS_ROOTLESS_UID": "65534"}
    argv = ["skopeo", "--tmpdir", str(folder), *words]
    done = subprocess.run(argv, env=os.environ | place, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout
