"""The right of every route: the least role whose accounts it answers, by the name of its operation.

This is the only place that states them. A route that is not here cannot be made (routing.py).
"""

from patina.account.role import Role

ANYONE = None  # also without an account

_ROUTES: dict[Role | None, tuple[str, ...]] = {
    ANYONE: (
        *("get_health", "get_readiness", "get_version"),
        "open_shared_link",
        "get_manifest_key",  # public, as its signatures are for readers without an account
        *("get_me", "sign_in", "sign_out", "open_link", "use_link"),
        *("begin_openid", "finish_openid"),
        "join_host",  # needs a join token
    ),
    Role.VIEWER: (
        *("list_credentials", "make_token", "revoke_credential", "sign_out_everywhere", "change_password"),
        "disconnect_openid",
        *("list_jobs", "stream_jobs", "get_job", "get_queue", "list_job_events", "stream_job", "list_notices"),
        *("list_runs", "get_run", "list_batches", "get_batch", "get_pace", "list_actions", "get_action", "get_scan"),
        "get_restore_time",
        *("list_teams", "measure_team_storage", "get_retention"),
        *("list_devices", "get_device", "get_holding", "list_hosts", "list_stores", "list_disk_models"),
        *("list_searches", "save_search", "remove_search"),
        *("find_image", "list_image_namings", "compare_reproduction"),
        *("list_images", "count_images", "get_image", "get_image_index", "get_image_manifest", "get_image_layout"),
        "list_deleted_images",
        *("list_image_downloads", "get_image_download_digest", "download_image", "describe_deletion"),
        *("compare_images", "describe_image_use"),
        *("get_signed_image_manifest", "describe_image_layers", "get_image_layer", "get_chunk", "get_no_chunk"),
        *("list_intakes", "get_intake"),
        *("list_profiles", "get_profile", "list_profile_versions", "get_profile_version", "export_profile_version"),
        "list_profile_uses",
        *("list_trials", "get_trial", "list_measurements", "export_trial", "list_workloads", "describe_workload"),
        *("list_studies", "get_study", "export_study"),
        *("make_forecast", "simulate_run", "read_profile", "make_fit"),  # they compute, and change nothing
        "get_metrics",
    ),
    Role.MEMBER: (
        *("start_run", "pause_run", "resume_run", "change_stop_conditions", "change_run", "extend_run"),
        *("stop_job", "retry_job", "start_batch", "stop_batch", "start_action", "start_scan", "start_trial"),
        "start_study",
        *("make_sandbox", "name_device", "remove_sandbox", "inject_fault"),
        *(
            "delete_image",
            "bring_back_image",
            "share_image",
            *("change_image", "tag_image", "remove_image_tag", "reproduce_image"),
            *("find_missing_chunks", "begin_intake"),
            "send_intake_bytes",
            "finish_intake",
        ),
        *("create_profile", "update_profile", "delete_profile", "archive_profile", "unarchive_profile"),
        "add_profile_version",
        *("share_profile", "share_job"),
        *("make_shared_link", "list_shared_links", "revoke_shared_link"),
    ),
    Role.OPERATOR: (
        "set_device_users",
        *("make_join_token", "list_join_tokens", "revoke_join_token", "remove_host", "start_collection"),
        *("list_webhooks", "add_webhook", "get_webhook", "change_webhook", "remove_webhook", "ping_webhook"),
        *("list_deliveries", "redeliver"),
        *("set_retention", "remove_retention", "preview_retention", "apply_retention"),
    ),
    Role.OWNER: (
        *("list_accounts", "change_account", "make_entry_link"),
        *("list_links", "invite", "revoke_link"),
        *("make_team", "remove_team", "add_member", "remove_member"),
        *("list_audit", "export_audit"),
    ),
}

# What the bearer of a link may read of the image, the profile, the run, the trial or the study that it shows, without
# an account.
OF_GUESTS = frozenset(
    (
        *("get_image", "get_image_index", "get_image_manifest", "get_signed_image_manifest", "get_image_layout"),
        *("list_image_downloads", "get_image_download_digest", "download_image"),
        *("get_profile", "list_profile_versions", "get_profile_version", "export_profile_version"),
        *("get_run", "list_job_events", "stream_job"),
        *("get_trial", "list_measurements", "export_trial"),
        *("get_study", "export_study"),
    )
)

RIGHTS: dict[str, Role | None] = {name: role for role, names in _ROUTES.items() for name in names}
