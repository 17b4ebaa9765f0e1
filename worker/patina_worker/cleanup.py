"""`python -m patina_worker.cleanup`: removes Patina's mounts, loop devices, emulators and memory files after the worker
has ended.

Files and folders of sandbox devices on disk stay: the worker attaches them again when it starts.
"""

import sys
from pathlib import Path

from patina.settings import settings
from patina_worker.failure import EmulatorBusy, EmulatorFailed, SandboxFailed
from patina_worker.host import emulated, sandbox
from patina_worker.host.mounts import own_mounts, unmount


def clean_up() -> list[str]:
    """Cleans up. Returns one line for each step, done or failed."""
    lines = []
    folder = settings().state_dir / "mnt"
    for target in sorted({m.target for m in own_mounts() if Path(m.target).is_relative_to(folder)}, reverse=True):
        done = unmount(Path(target))
        lines.append(f"unmounted {target}" if done.returncode == 0 else f"could not unmount {target}: {done.stderr}")
    for file, path in sandbox.attached().items():
        try:
            sandbox.detach(path)
            lines.append(f"detached {path} from {file}")
        except SandboxFailed as error:
            lines.append(error.message)
    for disk in (disk for parent in sandbox.folders() for disk in emulated.folders_in(parent)):
        try:
            emulated.end(disk)
        except (EmulatorBusy, EmulatorFailed) as error:
            lines.append(error.message)
    memory = settings().memory_dir
    for file in (*sandbox.files_in(memory), *emulated.folders_in(memory)):
        sandbox.remove_file(file)
        lines.append(f"removed {file} from memory")
    try:
        memory.rmdir()
    except FileNotFoundError:
        pass
    except OSError as error:
        lines.append(f"could not remove {memory}: {error.strerror}")
    return lines


def main() -> None:
    sys.stdout.writelines(f"{line}\n" for line in clean_up())


if __name__ == "__main__":
    main()
