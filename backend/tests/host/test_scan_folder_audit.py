"""Changes of the folders that a host allows to be scanned are in the audit trail, though no request makes them."""

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import Engine, create_engine, text
from sqlalchemy.exc import ProgrammingError
from sqlalchemy.orm import Session

from host_rows import REPORT
from joined_hosts import join
from patina.host import service as host_service


def test_a_change_that_a_host_reports_is_in_the_trail_once(as_api: Engine, client: TestClient) -> None:
    host = create_engine(join(as_api, "lab-1")["DATABASE_URL"])
    for folders in (["/srv/data"], ["/srv/data"], ["/srv/data", "/srv/more"]):
        with Session(host) as session:
            report = REPORT.model_copy(update={"scan_folders": folders})
            host_service.heartbeat(session=session, name="lab-1", report=report)
            session.commit()
    with pytest.raises(ProgrammingError, match="permission denied"), host.begin() as connection:
        connection.execute(text("INSERT INTO audit_entry (account_name) VALUES ('lab-1')"))
    host.dispose()
    [entry] = client.get("/api/v1/audit", params={"action": "change_scan_folders"}).json()["items"]
    assert (entry["account_name"], entry["outcome"]) == ("administrator of host lab-1", "done")
    assert entry["detail"] == {
        "changed": {"host lab-1": {"scan_folders": ['["/srv/data"]', '["/srv/data", "/srv/more"]']}}
    }
