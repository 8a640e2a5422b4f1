from dataclasses import dataclass, field

from adsvc.db.read_pool import Record
from adsvc.repositories.ads.listing import Listing
from adsvc.repositories.ads.order import Key
from adsvc.repositories.ads.search.asked import Search


@dataclass
class Page:
    """What has been found of a page, and of all that lies beyond its beginning."""

    room: int
    records: list[str] = field(default_factory=list)
    keys: list[Key] = field(default_factory=list)
    matches: int = 0
    holds: float | None = None

    def add(self, row: Record, search: Search) -> None:
        self.records += row["record"] or ()
        found = zip(*(row[name] or () for name in search.key.names), strict=True)
        self.keys += [search.key.key_of(values) for values in found]
        self.matches += row["matches"]
        if row["holds"] is not None:
            self.holds = row["holds"] if self.holds is None else min(row["holds"], self.holds)

    @property
    def missing(self) -> int:
        """One more than there is room for tells that there is a next page."""
        return self.room + 1 - len(self.records)

    def found(self, before: int, *, edge: Key | None, total: int | None) -> Listing:
        """A key is followed by how many matches came before: it goes on counting from there."""
        next_key = edge
        if self.missing <= 0:
            next_key = self.keys[self.room - 1]
        records = self.records[: self.room]
        if next_key is not None:
            next_key = [*next_key, before + len(records)]
        count = before + self.matches if total is None else total
        exact = total is not None
        return Listing(records, next_key, count, count_exact=exact, holds=self.holds)
