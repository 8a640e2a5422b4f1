"""The access log, with the trace in each line."""

from adsvc.observability.access_log import AccessLog
from adsvc.observability.tracing.tracing import current_trace_id, is_traced, note_answer


class TracedAccessLog(AccessLog):
    """A class of its own, so that without traces nothing is asked for them at any request."""

    def write(
        self,
        request_id: str,
        method: str,
        route: str | None,
        status: int,
        seconds: float,
        user_id: int | None,
        ad_id: int | None = None,
        trace_id: str | None = None,
    ) -> None:
        if is_traced():
            note_answer(request_id, method, route, status)
            trace_id = current_trace_id()
        super().write(request_id, method, route, status, seconds, user_id, ad_id, trace_id)
