"""Tests in a real browser: run_tests.py PROGRAM MODULE... [-k PATTERN]; exit 77 where there is no browser."""
import importlib
import shutil
import sys
import time
import unittest

import common
import driver


class TimedResult(unittest.TextTestResult):
    def startTest(self, test):
        self.begin = time.monotonic()
        super().startTest(test)

    def stopTest(self, test):
        super().stopTest(test)
        self.stream.writeln(f"  {time.monotonic() - self.begin:.1f} s")


def chosen(modules, pattern):
    load = unittest.TestLoader()
    load.testNamePatterns = [f"*{pattern}*"] if pattern else None
    return unittest.TestSuite(load.loadTestsFromModule(importlib.import_module(name)) for name in modules)


if __name__ == "__main__":
    words = sys.argv[1:]
    pattern = words.pop(words.index("-k") + 1) if "-k" in words else None
    common.program, *modules = [word for word in words if word != "-k"]
    if not driver.available():
        print("skipped: chromium and chromedriver are not installed")
        sys.exit(77)
    common.browser.start()
    try:
        result = unittest.TextTestRunner(verbosity=2, resultclass=TimedResult).run(chosen(modules, pattern))
    finally:
        common.browser.close()
        shutil.rmtree(common.work, ignore_errors=True)
    sys.exit(not result.wasSuccessful())
