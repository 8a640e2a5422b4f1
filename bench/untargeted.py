"""`adsvc`, with every change of an ad invalidating every list, as before notices said more."""

from adsvc.__main__ import main
from adsvc.invalidation import AdChange, Invalidation, InvalidationKind


def _of_ad(_: type[Invalidation], ad: AdChange) -> Invalidation:
    return Invalidation(InvalidationKind.AD, str(ad.id))


if __name__ == "__main__":
    Invalidation.of_ad = classmethod(_of_ad)  # type: ignore[assignment, method-assign]
    main()
