"""The programs' records: running them, their results and verdicts, what to print of them, how two records differ."""
