"""The patina command: registers every command; prints a refusal as one sentence."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Annotated, NoReturn

import typer

from patina import __version__
from patina.cli import (
    account,
    aging,
    batch,
    comparison,
    holding,
    host,
    image,
    job,
    joining,
    listing,
    naming,
    one_device,
    profile,
    profile_source,
    reproducing,
    retention,
    server,
    shared_link,
    sharing,
    store,
    team,
    transfer,
    webhook,
)
from patina.cli.client import Client, Refused, naming_server
from patina.cli.forecast import forecast
from patina.cli.intake import begin, import_file, name_of
from patina.cli.measuring import study, trial
from patina.cli.pull import IMAGE_HELP, find_download, find_image, target_of
from patina.cli.pull import pull as pull_download
from patina.cli.run import comparison as run_comparison
from patina.cli.run import listing as run_listing
from patina.cli.run import naming as run_naming
from patina.cli.run import show as run_command
from patina.cli.sandbox.emulated import disk_models, fault, sandbox
from patina.cli.terminal import AsJson, console_for, errors, print_json, show
from patina.errors import PatinaError
from patina.figures import in_bytes

app = typer.Typer(
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="Age file systems; keep the images.",
    epilog="Exit status: 0 done; 1 refused or failed; 2 wrong usage; 130 left by Ctrl-C, and the work goes on. "
    "PATINA_URL is the server's address, PATINA_TOKEN an access token in place of the one of `patina sign-in`.",
)

# The panels of the help, in its order, with their commands and their groups of commands.
_RUNS, _IMAGES, _DEVICES, _PROFILES = "Runs and batches", "Images", "Devices and hosts", "Profiles"
_BENCHMARKS, _JOBS, _ACCOUNTS, _SERVER = "Benchmarks", "Jobs of every kind", "Accounts and sharing", "Server"
_COMMANDS: dict[str, tuple[Callable[..., None], ...]] = {
    _RUNS: (aging.age, aging.extend, run_listing.runs, aging.pause, aging.resume, aging.cancel, job.stop_at, job.note),
    _IMAGES: (listing.images, listing.searches, holding.restore, holding.verify),
    _DEVICES: (listing.devices, sandbox, disk_models, listing.hosts, joining.join_token, store.stores, store.gc),
    _PROFILES: (listing.profiles, forecast),
    _BENCHMARKS: (
        *(holding.trace, holding.rollback, trial.trial, trial.trials, trial.trial_results),
        *(trial.plans, trial.workloads),
    ),
    _JOBS: (job.jobs, job.follow, job.retry, job.notices),
    _ACCOUNTS: (account.sign_in, account.sign_out, account.whoami, account.change_password, account.audit),
    _SERVER: (server.servers,),
}
_GROUPS: dict[str, dict[str, typer.Typer]] = {
    _RUNS: {"run": run_command.app, "batch": batch.app},
    _IMAGES: {"image": image.app},
    _DEVICES: {"device": one_device.app, "host": host.app},
    _PROFILES: {"profile": profile.app},
    _BENCHMARKS: {"study": study.app},
    _JOBS: {"job": sharing.jobs, "webhook": webhook.app},
    _ACCOUNTS: {"account": account.accounts, "team": team.app, "token": account.tokens, "link": shared_link.app},
}

for panel, commands in _COMMANDS.items():
    for command in commands:
        app.command(rich_help_panel=panel)(command)
for panel, groups in _GROUPS.items():
    for name, group in groups.items():
        app.add_typer(group, name=name, rich_help_panel=panel)


def _print_version(is_asked: bool) -> None:
    if is_asked:
        print(f"patina {__version__}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Age file systems; keep the images."""


image.app.command("share")(sharing.share_image)
profile.app.command("share")(sharing.share_profile)
image.app.command("reproduce")(reproducing.reproduce)
naming.add_commands(image.app)
comparison.add_commands(image.app)
run_command.app.command("compare")(run_comparison.compare)
run_naming.add_commands(run_command.app)
transfer.add_commands(image.app)
team.app.command("storage")(retention.show_storage)
team.app.command("retention")(retention.change_retention)
profile_source.add_commands(profile.app)
one_device.app.command("fault")(fault)


@app.command("help", rich_help_panel=_SERVER)
def show_help(
    words: Annotated[list[str] | None, typer.Argument(metavar="COMMAND", help="A command; all by default.")] = None,
) -> None:
    """Show the help of a command, as --help does."""
    app([*(words or []), "--help"], prog_name="patina")


@app.command(rich_help_panel=_IMAGES)
def pull(
    image: Annotated[
        str, typer.Argument(metavar="[SERVER/]IMAGE", help=f"{IMAGE_HELP} Of another server after its name.")
    ],
    output: Annotated[Path | None, typer.Option("--output", "-o", help="The file, or the folder to put it in.")] = None,
    image_format: Annotated[str, typer.Option("--format", help="raw, raw.zst or qcow2.")] = "raw",
    is_forced: Annotated[bool, typer.Option("--force", help="Replace the file if it is there.")] = False,
    as_json: AsJson = False,
) -> None:
    """Fetch an image into a file. Resumes after an interruption; compares the digest at the end."""
    client, reference = server.at_server(image)
    with nullcontext() if reference == image else naming_server(client):
        download = find_download(client, find_image(client, reference), image_format)
    target = target_of(output, download, is_forced=is_forced)
    pulled = pull_download(client, download, target, console_for(as_json))
    said = f"{pulled['path']}  {in_bytes(pulled['size_bytes'])}\nSHA-256 {pulled['sha256']}"
    show(pulled, said, as_json=as_json)


@app.command("import", rich_help_panel=_IMAGES)
def import_image(
    file: Annotated[Path, typer.Argument(help="A raw, raw.zst or qcow2 image, or an OCI archive of one.")],
    name: Annotated[str | None, typer.Option(help="Name of the image; the file's name by default.")] = None,
    kind: Annotated[
        str, typer.Option(help="unaged or foreign (aged by something else); an OCI archive states its own.")
    ] = "foreign",
    source: Annotated[str, typer.Option(help="Description of its origin.")] = "",
    image_format: Annotated[
        str | None, typer.Option("--format", help="raw, raw.zst, qcow2 or oci.tar; detected by default.")
    ] = None,
    is_private: Annotated[bool, typer.Option("--private", help="Only you and operators see the image.")] = False,
    as_json: AsJson = False,
) -> None:
    """Import a file into the catalog. Resumes after an interruption."""
    client = Client()
    wanted = name or name_of(file)
    intake = begin(
        client, file, name=wanted, kind=kind, source=source, image_format=image_format, is_private=is_private
    )
    image = import_file(client, file, intake, console_for(as_json))
    stored, new = in_bytes(image["stored_bytes"]), in_bytes(image["capture"]["new_bytes"])
    said = f"{image['name']}  {in_bytes(image['size_bytes'])}, {stored} stored, {new} of it new\n"
    said += f"{image['intake']['holds'] or 'blank'}. {image['intake']['check_message']}"
    show(image, said, as_json=as_json)


app.command(rich_help_panel=_SERVER)(aging.demo)


@contextmanager
def _on_the_server() -> Iterator[None]:
    """Refuses a command whose modules are installed on a server only."""
    try:
        yield
    except ModuleNotFoundError as error:
        raise Refused("server_only", f"This command runs on the server only: {error.name} is not installed.") from error


@app.command(rich_help_panel=_SERVER)
def migrate() -> None:
    """Migrate the database to this version. Needs DATABASE_URL."""
    with _on_the_server():
        from patina.migrate import migrate as run_migrations  # the only command that needs the database

    try:
        run_migrations()
    except PatinaError as error:
        raise Refused(error.code, error.message) from error


@app.command(rich_help_panel=_SERVER)
def openapi() -> None:
    """Print the API's OpenAPI document."""
    with _on_the_server():
        from patina.main import build_app  # builds the whole application; no other command needs it

    print_json(build_app().openapi())


@app.command(hidden=True)
def settings_of_runs() -> None:
    """Print the settings of a run with their ranges, for the page."""
    from patina.run.settings import described

    print_json(described())


@app.command(hidden=True)
def plans_of_trials() -> None:
    """Print the ready-made plans of trials, for the page."""
    from patina.trial.plans import described

    print_json(described())


@app.command(hidden=True)
def plans_of_studies() -> None:
    """Print the ready-made plans of studies, with their policies and limits, for the page."""
    from patina.study.plans import described

    print_json(described())


@app.command(hidden=True)
def age_request() -> None:
    """Print the JSON schema of the request that `patina-core age --request` reads."""
    from patina.run.settings import AgeRequest

    print_json(AgeRequest.model_json_schema())


def run() -> NoReturn:
    """Runs the command. Prints a refusal as one sentence."""
    try:
        app(prog_name="patina")
    except Refused as refusal:
        errors.print(f"patina: {refusal}", style="red", highlight=False, markup=False, soft_wrap=True)
        raise SystemExit(refusal.status) from refusal
    raise SystemExit(0)
