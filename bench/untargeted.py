"""`adsvc`, with every change of an ad invalidating every list, as before notices said more."""

from adsvc.__main__ import main
from adsvc.invalidation import AdChange, InvalidationKind
from adsvc.kit.invalidation import Invalidation


def _invalidation(ad: AdChange) -> Invalidation:
    return Invalidation(InvalidationKind.AD, str(ad.id))


if __name__ == "__main__":
    AdChange.invalidation = property(_invalidation)  # type: ignore[assignment, method-assign]
    main()
