"""Run as `python3 tools/weave COMMAND`."""

import sys

from weave.commands import main

sys.exit(main())
