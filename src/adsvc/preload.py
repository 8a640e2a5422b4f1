"""What worker processes have in common. They are forked from a process that imports this module.

So they share the memory of the code, and a worker that replaces another starts at once.
"""

import os
import signal

from babel import localedata

from adsvc import main
from adsvc.kit.process.setup import disable_ptrace, freeze_gc
from adsvc.services.mail.rendering import LANGUAGES

__all__ = ["main"]

disable_ptrace()
for language in LANGUAGES:
    localedata.load(language)
# The collector's marks would make the shared pages those of each process.
freeze_gc()
# A service manager may signal all processes. The workers still serve then, and this one has to
# live to see them end.
signal.signal(signal.SIGTERM, lambda *_: None)
os.register_at_fork(after_in_child=lambda: signal.signal(signal.SIGTERM, signal.SIG_DFL))
