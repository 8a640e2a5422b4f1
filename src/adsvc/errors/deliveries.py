"""What becomes of an entry of the outbox, other than being delivered."""

from adsvc.errors.base import AdsvcError


class DeliveryError(AdsvcError):
    """It was not delivered. The message is for operators."""


class ReceiverUnavailableError(DeliveryError):
    """Nothing can be delivered there now, whatever it is; no entry is to blame."""


class NotDeliveredError(DeliveryError):
    """This entry was refused for now."""


class UndeliverableError(DeliveryError):
    """This entry is refused for good."""
