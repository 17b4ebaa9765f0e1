"""A worker's report on its host, for tests without a worker."""

from patina.host.schemas import HostReport

GIB = 2**30
REPORT = HostReport(
    kernel="6.1",
    lacks={"f2fs": "this host's kernel lacks f2fs"},
    cores_count=2,
    memory_bytes=8 * GIB,
    memory_free_bytes=4 * GIB,
    disk_bytes=500 * GIB,
    disk_free_bytes=100 * GIB,
    tools={"mke2fs": "1.47.0"},
    device_allow=[],
    scan_folders=["/srv/data"],
    commands=["rebuild"],
    sandbox_quota_bytes=64 * GIB,
)
