"""Response headers that do not depend on the operation."""

from collections.abc import Mapping

# What an API's answers need (OWASP REST Security Cheat Sheet); pages bring their own policy.
SECURITY_HEADERS: Mapping[str, str] = {
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
    "Cross-Origin-Resource-Policy": "cross-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}
