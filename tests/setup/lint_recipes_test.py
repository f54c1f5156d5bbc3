"""setup/lint_recipes.py finds recipes that have fallen behind the project."""

import pathlib
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "setup"))

import lint_recipes  # noqa: E402


class Recipes(unittest.TestCase):
    def setUp(self):
        self.containerfile = lint_recipes.CONTAINERFILE.read_text(encoding="utf-8")
        self.conda = lint_recipes.CONDA.read_text(encoding="utf-8")
        self.cmake = (ROOT / "CMakeLists.txt").read_text(encoding="utf-8")
        self.asked = lint_recipes.asked_packages()

    def problems(self):
        return lint_recipes.problems(self.containerfile, self.conda, self.cmake, self.asked)

    def test_agree_with_the_project(self):
        self.assertIn("libeigen3-dev", self.asked)
        self.assertIn("python3-matplotlib", self.asked)
        self.assertEqual(self.problems(), [])

    def test_an_older_version_is_found(self):
        self.cmake = self.cmake.replace("project(mbdbench VERSION ", "project(mbdbench VERSION 9")
        self.assertRegex(self.problems()[0], r"recipe\.yaml: version 0\S+; CMakeLists\.txt has 90")

    def test_packages_that_differ_are_found(self):
        self.containerfile = self.containerfile.replace("    libeigen3-dev \\\n", "    libarmadillo-dev \\\n")
        self.containerfile = self.containerfile.replace("    python3-jinja2 \\\n", "")
        self.assertEqual([problem.split(": ", 1)[1] for problem in self.problems()], [
            "libeigen3-dev is missing to compile; setup/install_packages.sh asks for it",
            "libarmadillo-dev to compile is not asked for by setup/install_packages.sh",
            "python3-jinja2 is missing to run; setup/install_packages.sh asks for it"])


if __name__ == "__main__":
    unittest.main()
