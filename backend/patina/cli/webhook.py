"""Commands of webhooks and their deliveries."""

from typing import Annotated, Any

import typer

from patina.cli.client import Client
from patina.cli.listing import print_list
from patina.cli.terminal import AsJson, Limit, Unasked, minute, show
from patina.job.state import NoticeKind

app = typer.Typer(no_args_is_help=True, help="Webhooks: addresses that receive a message when a job ends.")

WebhookArgument = Annotated[int, typer.Argument(help="Number of the webhook.")]
Kinds = Annotated[
    list[NoticeKind] | None,
    typer.Option("--kind", help="What is sent; repeatable. By default all but canceled."),
]


@app.command("list")
def list_webhooks(as_json: AsJson = False) -> None:
    """List the webhooks."""

    def _row(w: Any) -> list[str | None]:
        state = "on" if w["is_enabled"] else "off"
        return [str(w["id"]), w["title"], w["url"], ", ".join(w["kinds"]), state, w["disabled_reason"]]

    print_list("/webhooks", ["number", "title", "address", "sends", "state", "why"], _row, as_json=as_json)


@app.command("show")
def show_webhook(webhook: WebhookArgument, as_json: AsJson = False) -> None:
    """Show one webhook."""
    found = Client().call("GET", f"/webhooks/{webhook}")
    state = "on" if found["is_enabled"] else f"off. {found['disabled_reason'] or ''}".strip()
    said = f"{found['title']}\n{found['url']}\nsends {', '.join(found['kinds'])}\n{state}"
    show(found, said, as_json=as_json)


@app.command("add")
def add_webhook(
    title: Annotated[str, typer.Argument(help="What it is for.")],
    url: Annotated[str, typer.Argument(help="Address that receives the messages.")],
    kind: Kinds = None,
    as_json: AsJson = False,
) -> None:
    """Add a webhook. Its secret, which signs the messages, is printed once. Needs the role operator."""
    body = {"title": title, "url": url} | ({"kinds": kind} if kind else {})
    made = Client().call("POST", "/webhooks", json=body)
    show(made, f"Webhook {made['id']}. Its secret, shown this once:\n{made['secret']}", as_json=as_json)


@app.command("change")
def change_webhook(
    webhook: WebhookArgument,
    title: Annotated[str | None, typer.Option(help="What it is for.")] = None,
    url: Annotated[str | None, typer.Option(help="Address that receives the messages.")] = None,
    kind: Kinds = None,
    is_enabled: Annotated[bool | None, typer.Option("--on/--off", help="Switch it on or off.")] = None,
    as_json: AsJson = False,
) -> None:
    """Change a webhook. What is not named stays as it is."""
    given = {"title": title, "url": url, "kinds": kind or None, "is_enabled": is_enabled}
    body = {name: value for name, value in given.items() if value is not None}
    changed = Client().call("PATCH", f"/webhooks/{webhook}", json=body)
    show(changed, f"Webhook {webhook} is changed.", as_json=as_json)


@app.command("remove")
def remove_webhook(webhook: WebhookArgument, is_confirmed: Unasked = False, as_json: AsJson = False) -> None:
    """Remove a webhook with its deliveries."""
    client = Client()
    found = client.call("GET", f"/webhooks/{webhook}")
    if not is_confirmed and not as_json:
        typer.confirm(f"Remove the webhook {found['title']}?", abort=True)
    client.call("DELETE", f"/webhooks/{webhook}")
    show(found, f"Webhook {webhook} is removed.", as_json=as_json)


@app.command("test")
def ping_webhook(webhook: WebhookArgument, as_json: AsJson = False) -> None:
    """Send a test message. `patina webhook deliveries` shows whether it arrived."""
    sent = Client().call("POST", f"/webhooks/{webhook}/ping")
    show(sent, f"Delivery {sent['id']} is {sent['state']}.", as_json=as_json)


@app.command("deliveries")
def list_deliveries(webhook: WebhookArgument, limit: Limit = 20, as_json: AsJson = False) -> None:
    """List the latest deliveries of a webhook."""

    def _row(d: Any) -> list[str | None]:
        tries = f"{d['tries_count']} tries"
        return [str(d["id"]), minute(d["created_at"]), d["type"], d["state"], tries, d["last_message"]]

    headings = ["number", "at", "message", "state", "", ""]
    print_list(f"/webhooks/{webhook}/deliveries", headings, _row, as_json=as_json, params={"limit": limit})


@app.command("send-again")
def redeliver(
    webhook: WebhookArgument,
    delivery: Annotated[int, typer.Argument(help="Number of the delivery.")],
    as_json: AsJson = False,
) -> None:
    """Send a delivery again, with the same message."""
    sent = Client().call("POST", f"/webhooks/{webhook}/deliveries/{delivery}/redeliver")
    show(sent, f"Delivery {sent['id']} is {sent['state']}.", as_json=as_json)
