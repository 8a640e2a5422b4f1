"""What is told of one kind of problem."""

from dataclasses import dataclass

PROBLEMS_PATH = "/problems"


@dataclass(frozen=True, slots=True)
class ProblemType:
    status: int
    slug: str
    title: str
    # What a client's developer should know; shown on the page that problem types point to.
    explanation: str

    @property
    def type(self) -> str:
        return f"{PROBLEMS_PATH}#{self.slug}"
