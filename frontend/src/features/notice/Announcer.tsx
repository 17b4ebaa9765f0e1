// Tells of the runs that this browser follows, from every page: by a notification where nobody looks, else on the page.
import { CloseButton } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import type { Notice } from "../../api/client";
import classes from "./Announcer.module.css";
import { take, useFollowedRuns } from "./following";
import { noticesQuery } from "./queries";
import { titleOf } from "./words";

/** What is news, once in all tabs: whoever takes a notice first, tells it. */
async function takeNews(notices: readonly Notice[]): Promise<Notice[]> {
  const takeAll = () => notices.filter(take);
  // Where there are no locks (pages without HTTPS) there are no notifications either.
  return "locks" in navigator ? navigator.locks.request("patina.notices", takeAll) : takeAll();
}

function notify(notice: Notice, onOpen: () => void) {
  // The tag lets a second one of the same notice replace the first.
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
