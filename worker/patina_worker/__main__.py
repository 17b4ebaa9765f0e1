"""`python -m patina_worker` starts this host's worker."""

import os


def main() -> None:
    """Until it is told to end. SIGTERM gives runs a minute to hand their devices back."""
    os.environ["REMAP_SIGTERM"] = "SIGQUIT"  # read by Celery when it is imported
    from patina_worker.app import app

    app.worker_main(["worker", "--loglevel=INFO", "--without-gossip", "--without-mingle", "--without-heartbeat"])


if __name__ == "__main__":
    main()
