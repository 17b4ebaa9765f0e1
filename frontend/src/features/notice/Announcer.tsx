// Announces notices of followed runs on every page: by a notification while the page is hidden, else on the page.
import { CloseButton } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import type { Notice } from "../../api/client";
import classes from "./Announcer.module.css";
import { take, useFollowedRuns } from "./following";
import { noticesQuery } from "./queries";
import { titleOf } from "./words";

/** Returns the new notices, each once in all tabs: the first tab that takes a notice shows it. */
async function takeNews(notices: readonly Notice[]): Promise<Notice[]> {
  const takeAll = () => notices.filter(take);
  // Pages without HTTPS have no locks, and no notifications either.
  return "locks" in navigator ? navigator.locks.request("patina.notices", takeAll) : takeAll();
}

function notify(notice: Notice, onOpen: () => void) {
  // The tag makes a second notification of the same notice replace the first.
  const notification = new Notification(titleOf(notice), {
    body: notice.message,
    tag: `patina.notice.${notice.id}`,
  });
  notification.onclick = () => {
    globalThis.focus();
    notification.close();
    onOpen();
  };
}

function useNews(): [Notice[], (notice: Notice) => void] {
  const run_ids = Object.keys(useFollowedRuns()).map(Number);
  const { data: notices } = useQuery(noticesQuery(run_ids));
  const [news, setNews] = useState<Notice[]>([]);
  const navigate = useNavigate();
  useEffect(() => {
    if (notices === undefined) return;
    void takeNews(notices).then((taken) => {
      const isSeen = document.visibilityState === "visible";
      const canNotify = "Notification" in globalThis && Notification.permission === "granted";
      if (isSeen || !canNotify) {
        if (taken.length > 0) setNews((before) => [...before, ...taken]);
        return;
      }
      for (const notice of taken)
        notify(notice, () => void navigate({ to: "/runs/$runId", params: { runId: String(notice.job_id) } }));
    });
  }, [notices, navigate]);
  return [news, (read) => setNews((before) => before.filter((notice) => notice !== read))];
}

export function Announcer() {
  const [news, forget] = useNews();
  return (
    <div className={classes.place} role="status" aria-label="News of runs">
      {news.map((notice) => (
        <div key={notice.id} className={classes.note}>
          <div>
            <Link
              to="/runs/$runId"
              params={{ runId: String(notice.job_id) }}
              className="patina-link"
              onClick={() => forget(notice)}
            >
              {titleOf(notice)}
            </Link>
            <p className="patina-quiet">{notice.message}</p>
          </div>
          <CloseButton aria-label={`Dismiss: ${titleOf(notice)}`} onClick={() => forget(notice)} />
        </div>
      ))}
    </div>
  );
}
