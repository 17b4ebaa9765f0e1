"""Settings from the environment; the only module that reads it.

Every setting has a PATINA_ name except two with conventional names (DATABASE_URL,
REDIS_URL). A secret may also come from a file: NAME_FILE contains the path.
"""

import hashlib
import os
import threading
from functools import lru_cache
from pathlib import Path
from typing import Literal

from pydantic import Field, SecretStr, model_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

PROJECT_DIR = Path(__file__).resolve().parents[2]
_SECRETS = {
    "DATABASE_URL": "DATABASE_URL",
    "REDIS_URL": "REDIS_URL",
    "PATINA_ADVERTISED_DATABASE_URL": "advertised_database_url",
    "PATINA_ADVERTISED_REDIS_URL": "advertised_redis_url",
    "PATINA_STORE_ACCESS_KEY": "store_access_key",
    "PATINA_STORE_SECRET_KEY": "store_secret_key",
    "PATINA_OPENID_CLIENT_SECRET": "openid_client_secret",
}


class Settings(BaseSettings):
    """The settings of an installation. Paths are absolute once loaded."""

    model_config = SettingsConfigDict(env_prefix="PATINA_", extra="ignore", frozen=True, hide_input_in_errors=True)

    database_url: str = Field(validation_alias="DATABASE_URL")
    redis_url: str = Field(validation_alias="REDIS_URL")
    state_dir: Path = PROJECT_DIR / ".state"
    core: Path = PROJECT_DIR / "native" / "build" / "patina-core"
    profiles_dir: Path = PROJECT_DIR / "profiles"
    frontend_dir: Path = PROJECT_DIR / "frontend" / "dist"
    host_name: str = "local"
    device_allow: str = Field(default="", description="Globs over stable ids that may be aged, comma-separated")
    scan_folders: str = Field(default="", description="Folders whose trees may be scanned, colon-separated")
    command_folder: str = Field(default="", description="Folder of programs that trials may run as root; empty: none")
    sandbox_quota_bytes: int = 64 * 2**30
    tasks_at_once: int = Field(default=16, ge=1, le=256, description="Slots of a worker, each for one job")
    lease_s: int = 60
    # Four heartbeats: one late heartbeat loses no host, and pages show a loss within half a minute.
    host_silence_s: int = Field(default=20, ge=10, description="Time without a heartbeat until a host is silent")
    # At least an hour: a capture's index and chunks must not get older than this before its image is in the catalog.
    gc_grace_s: int = Field(default=86_400, ge=3_600, description="How long a deleted image can be brought back")
    gc_period_s: int = Field(default=21_600, ge=60, description="Period of garbage collections")
    retention_period_s: int = Field(default=3_600, ge=60, description="Period in which retention rules are applied")
    spool: Path = Field(default=Path("spool"), description="Folder of uploaded files, below the state folder")
    manifest_key: Path = Field(
        default=Path("manifest.key"), description="File of the key that signs manifests, below the state folder"
    )
    intake_quota_bytes: int = Field(default=64 * 2**30, ge=2**20, description="Quota of all uploaded files")
    intake_expiry_s: int = Field(default=86_400, ge=60, description="How long an upload waits for its next byte")
    trusted_hosts: str = "localhost,127.0.0.1,[::1]"
    webhook_private_addresses: str = Field(
        default="", description="Private networks (CIDR) and globs over host names that webhooks may reach"
    )
    listen: str = Field(default="", description="An address beside loopback on which server and services listen")
    advertised_url: str = Field(default="", pattern=r"^(https?://.+)?$", description="URL of the API for other hosts")
    advertised_database_url: str = Field(default="", description="URL of the database for other hosts")
    advertised_redis_url: str = Field(default="", description="URL of Redis for other hosts")
    store_bucket: str = Field(default="", description="An S3 bucket that keeps the chunks of all hosts; empty: none")
    store_prefix: str = Field(default="", pattern=r"^([A-Za-z0-9._-]+(/[A-Za-z0-9._-]+)*)?$")
    store_endpoint: str = Field(default="", pattern=r"^(https?://.+)?$", description="Empty: AWS")
    store_region: str = "us-east-1"
    store_access_key: str = ""
    store_secret_key: SecretStr = SecretStr("")
    store_patience_s: int = Field(default=900, ge=0, description="How long to wait for an unreachable bucket")
    openid_issuer: str = Field(
        default="",
        pattern=r"^(https://.+|http://(localhost|127\.0\.0\.1)[:/].+)?$",
        description="URL of the provider of OpenID Connect that signs in to accounts; empty: none",
    )
    openid_client_id: str = ""
    openid_client_secret: SecretStr = SecretStr("")
    openid_name: str = Field(default="OpenID Connect", min_length=1, description="Of the provider, on the page")
    openid_scope: str = "openid profile email"
    openid_new_role: Literal["", "viewer", "member"] = Field(
        default="", description="Role of the account that a first sign-in makes; empty: accounts are invited"
    )
    openid_domains: str = Field(
        default="", description="Domains of confirmed e-mail addresses that may sign in; empty: all"
    )
    openid_claim: str = Field(default="", pattern=r"^([^=]+=.+)?$", description="Claim that is needed, NAME=VALUE")

    @model_validator(mode="before")
    @classmethod
    def _read_secret_files(cls, values: dict[str, object]) -> dict[str, object]:
        for name, key in _SECRETS.items():
            path = os.environ.get(f"{name}_FILE")
            if path and not values.get(key):
                values[key] = Path(path).read_text(encoding="utf-8").strip()
        return values

    @model_validator(mode="after")
    def _have_a_whole_key(self) -> "Settings":
        if bool(self.store_access_key) != bool(self.store_secret_key.get_secret_value()):
            raise ValueError("set both PATINA_STORE_ACCESS_KEY and PATINA_STORE_SECRET_KEY, or neither")
        return self

    @model_validator(mode="after")
    def _have_a_whole_client(self) -> "Settings":
        if self.openid_issuer and not (self.openid_client_id and self.openid_client_secret.get_secret_value()):
            raise ValueError("PATINA_OPENID_ISSUER needs PATINA_OPENID_CLIENT_ID and PATINA_OPENID_CLIENT_SECRET")
        return self

    @property
    def openid_domains_list(self) -> list[str]:
        """Returns the domains of e-mail addresses that may sign in through the provider."""
        return [word.strip().lower() for word in self.openid_domains.split(",") if word.strip()]

    @property
    def webhook_private_addresses_list(self) -> list[str]:
        """Returns networks and globs that webhooks may reach besides the public internet."""
        return [word.strip().lower() for word in self.webhook_private_addresses.split(",") if word.strip()]

    @property
    def scan_folders_list(self) -> list[str]:
        """Returns the scan folders: absolute, without `..`; others are left out."""
        return [os.path.normpath(f) for f in self.scan_folders.split(":") if f.startswith("/")]

    @property
    def command_dir(self) -> Path | None:
        """Returns the command folder, if it is an absolute path."""
        return Path(self.command_folder) if self.command_folder.startswith("/") else None

    @property
    def scratch_dir(self) -> Path:
        """Returns the folder of unnamed files, in which images are checked before publication, and imports unpacked."""
        return self.state_dir / "scratch"

    @property
    def store_dir(self) -> Path:
        """Returns the folder of the chunk store."""
        return self.state_dir / "store"

    @property
    def index_dir(self) -> Path:
        """Returns the folder of the images' indexes."""
        return self.state_dir / "images"

    @property
    def delta_dir(self) -> Path:
        """Returns the folder of running traces and of deltas."""
        return self.state_dir / "deltas"

    @property
    def spool_dir(self) -> Path:
        """Returns the spool. It belongs to the account of the API."""
        return self.state_dir / self.spool

    @property
    def manifest_key_path(self) -> Path:
        """Returns the path of the private key that signs manifests. The account of the API alone can read it."""
        return self.state_dir / self.manifest_key

    @property
    def sandbox_dir(self) -> Path:
        """Returns the folder of backing files of sandbox devices in a file."""
        return self.state_dir / "sandbox"

    @property
    def memory_dir(self) -> Path:
        """Returns the folder of backing files of sandbox devices in memory: on tmpfs, for this installation."""
        return Path("/dev/shm") / f"patina-{hashlib.sha256(str(self.state_dir).encode()).hexdigest()[:8]}"

    @property
    def device_allow_globs(self) -> list[str]:
        """Returns the host's allow-list, which the web cannot change."""
        return [glob.strip() for glob in self.device_allow.split(",") if glob.strip()]


_reading = threading.Lock()


@lru_cache(maxsize=1)
def _read() -> Settings:
    return Settings()


def settings() -> Settings:
    """Returns the settings of this process, read once."""
    with _reading:
        return _read()


def forget_settings() -> bool:
    """Drops the settings, to be read again; returns whether they had been read. Waits for a concurrent read."""
    with _reading:
        were_read = _read.cache_info().currsize > 0
        _read.cache_clear()
        return were_read
