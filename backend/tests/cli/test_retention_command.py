"""Commands of a team's storage and retention rule, against the served application."""

import io
from collections.abc import Callable

import pytest
from sqlalchemy import select

from commands import Patina, answered, printed, refusal
from patina.account.models import Team, Visibility
from patina.db import transaction
from patina.image.models import Image
from trial_rows import make_image


@pytest.fixture
def image_ids(patina: Patina, publish_image: Callable[..., int]) -> list[int]:
    """Returns two images of the team lab, the newest first."""
    printed(patina("team", "make", "lab"))
    made = [make_image(publish_image, name) for name in ("older", "newer")]
    with transaction() as session:
        team_id = session.scalar(select(Team.id))
        for image_id in made:
            image = session.get_one(Image, image_id)
            image.visibility, image.team_id = Visibility.TEAM, team_id
    return made[::-1]


def test_a_rule_is_tried_set_applied_and_ended(
    patina: Patina, image_ids: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "No rule" in printed(patina("team", "retention", "lab"))
    tried = printed(patina("team", "retention", "lab", "--keep-last", 1, "--dry-run"))
    assert "older" in tried
    assert "1 images go, 1 stay." in tried
    assert answered(patina("team", "retention", "lab", "--json"))["rule"] is None
    assert "1 images go" in printed(patina("team", "retention", "lab", "--keep-last", 1))
    monkeypatch.setattr("sys.stdin", io.StringIO("n\n"))
    assert patina("team", "retention", "lab", "--apply")[0] == 1
    assert "1 images deleted" in printed(patina("team", "retention", "lab", "--apply", "--yes"))
    names = [image["name"] for image in answered(patina("images", "--json"))["items"]]
    assert names == ["newer"]
    rule = answered(patina("team", "retention", "lab", "--expire-after", 30, "--also-tagged", "--json"))["rule"]
    assert rule == {"keep_last_count": None, "expire_after_s": 2_592_000, "keeps_tagged": False}
    assert "stay" in printed(patina("team", "retention", "lab", "--end"))
    assert "has no retention rule" in refusal(patina("team", "retention", "lab", "--apply", "--yes"))


@pytest.mark.parametrize("words", [["--dry-run"], ["--end", "--keep-last", 1], ["--end", "--apply"]])
def test_options_that_contradict_are_refused(patina: Patina, image_ids: list[int], words: list[object]) -> None:
    assert "--end stands alone" in refusal(patina("team", "retention", "lab", *words), status=2)
