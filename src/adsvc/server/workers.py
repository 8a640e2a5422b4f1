"""Several processes that share a port."""

from uvicorn.supervisors.multiprocess import Multiprocess


class Workers(Multiprocess):
    """uvicorn's, but the port is given up before the workers have finished.

    The first process holds the listening socket too, and would else leave whoever comes meanwhile
    waiting for nobody.
    """

    def join_all(self) -> None:
        for sock in self.sockets:
            sock.close()
        super().join_all()
