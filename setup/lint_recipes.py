"""setup/lint_recipes.py: whether the recipes agree with the project: versions, and the packages of Debian that
setup/install_packages.sh asks for. The recipe for conda is parsed and rendered. Exit code 1 where something is wrong."""

import pathlib
import re
import subprocess
import sys

import rattler_build

ROOT = pathlib.Path(__file__).resolve().parent.parent
CONTAINERFILE = ROOT / "setup" / "recipes" / "Containerfile"
CONDA = ROOT / "setup" / "recipes" / "conda" / "recipe.yaml"


def project_version(cmake):
    return re.search(r"project\(mbdbench VERSION ([0-9.]+)", cmake).group(1)


def image_packages(containerfile):
    """Packages of the stages, in the order of the file."""
    runs = re.findall(r"--no-install-recommends((?: *\\\n +[a-z0-9.+-]+)+)", containerfile)
    return [set(re.findall(r"\n +([a-z0-9.+-]+)", run)) for run in runs]


def asked_packages():
    """What setup/install_packages.sh wants for the program and its experiments where nothing is there."""
    script = ("source setup/install_packages.sh; need() { echo \"$1\"; }; choose_python() { return 1; }; "
              "need_for_experiments")
    out = subprocess.run(["bash", "-c", script], cwd=ROOT, check=True, capture_output=True, text=True).stdout
    return set(out.split())


def problems(containerfile, recipe_text, cmake, asked):
    found = []
    stages = image_packages(containerfile)
    if len(stages) != 2:
        return [f"{CONTAINERFILE}: {len(stages)} lists of packages, 2 are wanted: to compile, and to run"]
    python = {package for package in asked if package.startswith("python3")}
    for what, have, want in (("to compile", stages[0], asked - python), ("to run", stages[1] & python, python)):
        for package in sorted(want - have):
            found.append(f"{CONTAINERFILE}: {package} is missing {what}; setup/install_packages.sh asks for it")
        for package in sorted(have - want):
            found.append(f"{CONTAINERFILE}: {package} {what} is not asked for by setup/install_packages.sh")
    rendered = rattler_build.Stage0Recipe.from_yaml(recipe_text).render()
    packages = [variant.recipe.package for variant in rendered]
    for package in packages:
        if str(package.version) != project_version(cmake):
            found.append(f"{CONDA}: version {package.version}; CMakeLists.txt has {project_version(cmake)}")
    if not packages:
        found.append(f"{CONDA}: no package")
    return found


def main():
    found = problems(CONTAINERFILE.read_text(encoding="utf-8"), CONDA.read_text(encoding="utf-8"),
                     (ROOT / "CMakeLists.txt").read_text(encoding="utf-8"), asked_packages())
    for problem in found:
        print(problem, file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
