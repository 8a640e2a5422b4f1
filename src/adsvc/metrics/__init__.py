"""The table of all metrics. Only what it lists can be set, and docs/metrics.md is made of it."""

from collections.abc import Mapping, Sequence
from typing import Literal

from adsvc.kit.counters import (
    BATCH_CHANGES,
    LAG_SECONDS,
    REQUEST_SECONDS,
    STALL_SECONDS,
    WORK_SECONDS,
    Metric,
    Table,
)


def counter(name: str, text: str, *labels: str) -> Metric:
    return Metric(name, "counter", text, labels)


def gauge(
    name: str, text: str, *labels: str, mode: Literal["livesum", "livemax", "livemin"] = "livesum"
) -> Metric:
    return Metric(name, "gauge", text, labels, mode=mode)


def histogram(name: str, text: str, bounds: Sequence[float], *labels: str) -> Metric:
    return Metric(name, "histogram", text, labels, bounds)


# By what they are about: a title, and the metrics below it.
GROUPS: Mapping[str, Sequence[Metric]] = {
    "Requests": (
        counter(
            "adsvc_http_requests_total",
            "Requests that were answered. The route is a template, or unmatched.",
            "method",
            "route",
            "status",
        ),
        histogram(
            "adsvc_http_request_duration_seconds",
            "From the head of a request to its response, as in the access log.",
            REQUEST_SECONDS,
            "method",
            "route",
        ),
        counter(
            "adsvc_http_protocol_refusals_total",
            "Requests refused because they are not valid HTTP, incomplete or too slow.",
            "status",
        ),
        counter(
            "adsvc_http_shed_total",
            "Requests refused with 503: the process was busy, or the pool named was full.",
            "reason",
        ),
        gauge("adsvc_http_connections", "Open connections of clients."),
        gauge("adsvc_http_busy_requests", "Requests at work, without those waiting for a client."),
        gauge("adsvc_http_busy_requests_limit", "ADSVC_BUSY_REQUESTS, summed over all processes."),
    ),
    "Readiness": (
        gauge(
            "adsvc_ready",
            "Whether every process can do this: 1 or 0. The parts are reads, and those of "
            "/readyz: writes, text (there is room for it), pictures (they can be stored). Each "
            "process looks every 10 s.",
            "part",
            mode="livemin",
        ),
        gauge(
            "adsvc_disk_free_bytes",
            "Free bytes of the disk of a directory. Directories are those of the database, of "
            "pictures, and of temporary files.",
            "directory",
            mode="livemin",
        ),
        gauge(
            "adsvc_disk_reserve_bytes",
            "With less than that free, nothing is stored there (ADSVC_DISK_RESERVE_BYTES).",
            "directory",
            mode="livemax",
        ),
    ),
    "Pools and queues": (
        gauge("adsvc_database_pool_size", "Connections that a pool may have.", "pool"),
        gauge("adsvc_database_pool_used", "Connections in use.", "pool"),
        gauge("adsvc_database_pool_waiting", "Statements that wait for a connection.", "pool"),
        gauge("adsvc_bulkhead_capacity", "Work that may run or wait, together.", "bulkhead"),
        gauge("adsvc_bulkhead_running", "Work that runs.", "bulkhead"),
        gauge("adsvc_bulkhead_waiting", "Work that waits for its turn.", "bulkhead"),
        counter("adsvc_bulkhead_refused_total", "Work for which there was no room.", "bulkhead"),
        gauge("adsvc_upload_bytes", "Bytes of the uploads under way."),
        gauge("adsvc_upload_bytes_limit", "ADSVC_UPLOADS_UNDER_WAY_MAX_BYTES, of all processes."),
    ),
    "Caches": (
        counter("adsvc_cache_hits_total", "Answers and callers found in memory.", "cache"),
        counter("adsvc_cache_misses_total", "Those that had to be made or looked up.", "cache"),
        gauge("adsvc_cache_bytes", "Size of the cached responses.", "cache"),
        counter(
            "adsvc_cache_generations_total",
            "Change notices. Each process counts each change once, and its own changes twice.",
            "kind",
        ),
        gauge(
            "adsvc_listener_confirmation_age_seconds",
            "Time since PostgreSQL last confirmed that no change was missed; above 3 nothing is "
            "answered from memory. Of the process for which it is longest.",
            mode="livemax",
        ),
    ),
    "Search engine": (
        counter(
            "adsvc_search_engine_searches_total",
            "Searches for OpenSearch. PostgreSQL answered some of them: it was away, or its index "
            "was behind or missing.",
            "outcome",
        ),
    ),
    "Event log": (
        gauge("adsvc_sequencer", "Whether one of these processes is the sequencer: 1 or 0."),
        counter("adsvc_sequencer_elections_total", "How often one of them became the sequencer."),
        gauge(
            "adsvc_event_log_sequencers",
            "Sequencers of all services together: 1, or 0 while there is none.",
        ),
        gauge(
            "adsvc_event_log_lag_seconds",
            "Age of the oldest committed change that is not in the log. A change is as old as its "
            "statement, so at the end of a long transaction its changes are that old for a moment.",
        ),
        histogram(
            "adsvc_event_log_batch_changes",
            "Changes in each batch that these processes moved into the log.",
            BATCH_CHANGES,
        ),
        histogram(
            "adsvc_event_log_batch_seconds",
            "How long a batch took, until it was announced.",
            REQUEST_SECONDS,
        ),
        gauge("adsvc_streams", "Open streams: of events, of an account, of a search.", "kind"),
        gauge("adsvc_streams_limit", "Streams that all processes may have. More get 503."),
        counter(
            "adsvc_streams_dropped_total",
            "Streams that ended while their client had not taken what was sent.",
            "kind",
        ),
    ),
    "Pictures": (
        histogram(
            "adsvc_picture_seconds",
            "Steps of an upload: wait (for a process), decode (and scale), encode (with variants), "
            "process (both, and the way there and back), store (until it is durable).",
            WORK_SECONDS,
            "step",
        ),
        counter(
            "adsvc_picture_failures_total",
            "Pictures refused: invalid, unsupported, or failed where the process crashed or took "
            "too long.",
            "reason",
        ),
        gauge(
            "adsvc_picture_deletions_queued",
            "Files of deleted pictures that are still in the store.",
        ),
    ),
    "Image store": (
        gauge(
            "adsvc_image_store_up",
            "Whether the last operation of every process succeeded: 1 or 0. There is one every "
            "10 s at least.",
            mode="livemin",
        ),
        histogram(
            "adsvc_image_store_seconds",
            "Operations of the store, each a request in a bucket: read, write, delete, copy, list.",
            WORK_SECONDS,
            "operation",
        ),
        counter(
            "adsvc_image_store_errors_total",
            "Operations that failed. A picture that is not there is no failure.",
            "operation",
        ),
    ),
    "Ads": (counter("adsvc_ads_expired_total", "Ads that were marked as expired."),),
    "Outbox": (
        gauge("adsvc_outbox_pending", "Entries that are not sent yet."),
        gauge("adsvc_outbox_dead", "Dead letters: entries that are not tried any more."),
        gauge("adsvc_outbox_oldest_seconds", "Age of the oldest entry that is not sent yet."),
        counter("adsvc_outbox_delivered_total", "Entries that these processes have sent.", "kind"),
        counter("adsvc_outbox_failed_total", "Attempts that failed and are repeated.", "kind"),
        counter("adsvc_outbox_died_total", "Entries that became dead letters.", "kind"),
        counter("adsvc_outbox_unavailable_total", "Attempts while no entry could be sent."),
    ),
    "Notifications": (
        gauge(
            "adsvc_consumer_lag_events",
            "Events of the log that this step of the workers has not handled so far.",
            "name",
        ),
        gauge("adsvc_fan_outs_pending", "Notices to all who keep an ad that have not ended."),
        gauge("adsvc_search_alerts_due", "Saved searches whose alert is due and not made."),
        gauge(
            "adsvc_messages_held",
            "Texts of messages that are held until a moderator has decided about them.",
        ),
        gauge("adsvc_push_pending", "Messages of Web Push that were not accepted so far."),
    ),
    "Webhooks": (
        gauge(
            "adsvc_webhook_pending",
            "Deliveries that are not accepted so far. Of enabled webhooks, as all that follow.",
            "webhook",
        ),
        gauge("adsvc_webhook_oldest_seconds", "Age of the oldest of them.", "webhook"),
        gauge("adsvc_webhook_lag_events", "Events of the log not looked at so far.", "webhook"),
        gauge("adsvc_webhook_failures", "Failed attempts since one succeeded.", "webhook"),
        counter("adsvc_webhook_attempts_total", "Attempts of these processes.", "result"),
        counter("adsvc_webhooks_disabled_total", "Webhooks disabled because they failed."),
    ),
    # Prometheus has a label `job` of its own.
    "Jobs": (
        counter("adsvc_job_runs_total", "Runs of regular jobs in these processes.", "name"),
        counter("adsvc_job_failures_total", "Those that failed.", "name"),
        gauge(
            "adsvc_job_success_age_seconds",
            "Time since a job last ended well, in whichever process.",
            "name",
        ),
        counter(
            "adsvc_retention_deleted_total",
            "Rows that the job `cleaning` deleted because their retention had ended: "
            "`conversations`, `notifications`, `sessions` and others.",
            "kind",
        ),
        counter(
            "adsvc_retention_failures_total",
            "Attempts at it that failed. The job goes on with the other kinds, and is no failure.",
            "kind",
        ),
    ),
    "Database": (
        gauge("adsvc_database_up", "Whether the exporter reached the database: 1 or 0."),
        gauge("adsvc_database_sessions", "Sessions of the database, by their state.", "state"),
        gauge("adsvc_database_sessions_limit", "max_connections of the server."),
        gauge(
            "adsvc_clock_skew_seconds",
            "How far this machine's clock is ahead of the database's; negative if behind.",
        ),
        gauge(
            "adsvc_database_oldest_transaction_seconds",
            "Age of the oldest transaction that this role sees, without those of backups.",
        ),
        gauge("adsvc_database_autovacuum", "Whether autovacuum is on: 1 or 0."),
        gauge(
            "adsvc_schema_info",
            "Always 1. `revision` is that of the database's schema, `none` without one; `own` is "
            "that of this program.",
            "revision",
            "own",
        ),
        gauge(
            "adsvc_schema_current",
            "Whether the two are the same: 1 or 0. They differ during an upgrade.",
        ),
        gauge(
            "adsvc_synchronous_standbys",
            "Standbys that have each change before it is acknowledged. Missing where the role of "
            "the service lacks pg_read_all_stats.",
        ),
        gauge(
            "adsvc_synchronous_standbys_required",
            "1 where synchronous_standby_names requires some, else 0: without them changes wait.",
        ),
        gauge(
            "adsvc_test_alert",
            "1 for three minutes after `adsvc doctor --test-alert`, else 0.",
        ),
        gauge(
            "adsvc_pictures_damaged",
            "Whether the last `adsvc verify` of the site's pictures found a fault: 1 or 0.",
        ),
        gauge(
            "adsvc_backup_success_age_seconds",
            "Time since `adsvc backup` last saved everything, on whichever machine; +Inf before "
            "the first.",
        ),
    ),
    "Replicas": (
        gauge("adsvc_replica_up", "Whether the exporter reached the replica: 1 or 0.", "server"),
        gauge(
            "adsvc_replica_lag_bytes",
            "Bytes of the write-ahead log that the primary has and the replica has not replayed.",
            "server",
        ),
        counter(
            "adsvc_replica_reads_total",
            "Reads of lists that a replica may answer, by who did: replica, or primary where no "
            "replica had come far enough.",
            "answered_by",
        ),
    ),
    "Processes": (
        gauge("adsvc_build_info", "1; the versions are in the labels.", "version", "python"),
        gauge("adsvc_processes", "Processes that serve requests; a worker is one too."),
        gauge(
            "adsvc_process_start_time_seconds",
            "When the oldest of them was started, in seconds since 1970.",
            mode="livemin",
        ),
        gauge("adsvc_process_resident_memory_bytes", "Their memory, without picture processes."),
        counter("adsvc_process_cpu_seconds_total", "Their time of the processor."),
        histogram(
            "adsvc_event_loop_lag_seconds",
            "How much later than scheduled the event loop wakes up, once a second.",
            LAG_SECONDS,
        ),
        histogram(
            "adsvc_event_loop_stall_seconds",
            "How long the event loop was held, each time that it was for a quarter of a second or "
            "longer. Meanwhile the process answers no one.",
            STALL_SECONDS,
        ),
    ),
}

METRICS: Table = {metric.name: metric for group in GROUPS.values() for metric in group}
