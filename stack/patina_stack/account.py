"""The accounts of the parts: everything but the worker runs as an unprivileged account.

Started as root, PostgreSQL, Redis and the API run as the account `patina` (made by `make setup`). Started as
a user, they run as that user, and only the worker goes through sudo.
"""

import os
import pwd
import shlex
from dataclasses import dataclass
from pathlib import Path

from patina_worker.host.foreign_disk import foreign_disks

ACCOUNT = "patina"


class AccountMissing(Exception):
    """The account does not exist yet."""


def _hidden_ancestor(folder: Path) -> Path | None:
    """Returns the topmost folder above `folder` that others may not enter, such as /root."""
    for ancestor in reversed(folder.parents):
        if not ancestor.stat().st_mode & 0o001:
            return ancestor
    return None


@dataclass(frozen=True)
class Account:
    """Runs commands without privileges that reach `folders` by their ordinary paths."""

    folders: tuple[Path, ...]
    uid: int
    gid: int
    is_dropped: bool

    @classmethod
    def for_folders(cls, *folders: Path) -> "Account":
        """Returns the account that owns the files of the unprivileged parts."""
        if os.geteuid() != 0:
            return cls(folders=folders, uid=os.geteuid(), gid=os.getegid(), is_dropped=False)
        try:
            entry = pwd.getpwnam(ACCOUNT)
        except KeyError as error:
            raise AccountMissing(f"The account {ACCOUNT!r} does not exist. Run `make setup` as root.") from error
        return cls(folders=folders, uid=entry.pw_uid, gid=entry.pw_gid, is_dropped=True)

    def own(self, path: Path) -> Path:
        """Makes the folder `path`, accessible only to the account."""
        path.mkdir(parents=True, exist_ok=True, mode=0o700)
        path.chmod(0o700)
        if self.is_dropped:
            os.chown(path, self.uid, self.gid)
        return path

    def write_secret(self, path: Path, text: str) -> None:
        """Writes a file that only the account can read. The folder must not be the account's, which could put a link
        to a file of root there."""
        path.unlink(missing_ok=True)
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(text)
            if self.is_dropped:
                os.fchown(descriptor, self.uid, self.gid)

    def command(self, argv: list[str]) -> list[str]:
        """Returns the command that runs `argv` as the account, by exec throughout: the process keeps its pid."""
        if not self.is_dropped:
            return argv
        drop = [
            "setpriv", f"--reuid={self.uid}", f"--regid={self.gid}", "--clear-groups", "--no-new-privs",
            "--bounding-set=-all", *argv,
        ]  # fmt: skip
        hidden = {folder: _hidden_ancestor(folder) for folder in self.folders}
        if not any(hidden.values()):
            return drop
        let_go = "".join(f"umount --lazy {shlex.quote(disk)}; " for disk in foreign_disks(*self.folders))
        script = f"{let_go}{_reveal(hidden)} && exec {shlex.join(drop)}"
        return ["unshare", "--mount", "--propagation", "slave", "sh", "-c", script]


def _reveal(hidden: dict[Path, Path | None]) -> str:
    """Returns shell commands that, in a mount namespace of their own, let an account reach folders below a closed one.

    An empty tmpfs covers each closed ancestor; only Patina's folders appear in it, at their own paths. Other namespaces
    do not see it.
    """
    steps = ["mount -t tmpfs -o mode=755,size=64k none /mnt"]
    folders = [folder for folder, ancestor in hidden.items() if ancestor is not None]
    for number, folder in enumerate(folders):
        steps += [f"mkdir /mnt/{number}", f"mount --bind {shlex.quote(str(folder))} /mnt/{number}"]
    for ancestor in sorted({ancestor for ancestor in hidden.values() if ancestor is not None}):
        steps.append(f"mount -t tmpfs -o mode=755,size=64k none {shlex.quote(str(ancestor))}")
    for number, folder in enumerate(folders):
        path = shlex.quote(str(folder))
        steps += [f"mkdir -p {path}", f"mount --bind /mnt/{number} {path}"]
    return " && ".join(steps)
