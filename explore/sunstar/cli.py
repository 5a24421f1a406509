# SPDX-License-Identifier: MIT
"""The command line `sunstar`: one module each command, beside what it works on."""

import typer

from sunstar.papers.enwrich.command import reproduce_enwrich
from sunstar.papers.tr94_226.figures_command import figures_tr94_226
from sunstar.papers.tr94_226.reproduce_command import reproduce_tr94_226
from sunstar.papers.tr94_226.sensitivity_command import sensitivity_tr94_226
from sunstar.validation.drives.command import validate_drives
from sunstar.validation.network.command import validate_network

HELP = {"help_option_names": ["-h", "--help"]}


def group(text: str, example: str) -> typer.Typer:
    """Commands under one name; the example is shown by --help."""
    return typer.Typer(
        help=f"{text}\n\nExample: {example}", no_args_is_help=True, context_settings=HELP, rich_markup_mode=None
    )


app = group("Explore the machines that Sunstar simulates.", "sunstar reproduce tr94-226")
app.pretty_exceptions_enable = False

reproduce = group("Evaluate a published system beside its published figures.", "sunstar reproduce tr94-226 --trials 3")
reproduce.command("tr94-226")(reproduce_tr94_226)
reproduce.command("enwrich")(reproduce_enwrich)
app.add_typer(reproduce, name="reproduce")

figures = group(
    "Sweep what a paper's figures sweep, and check what it says of them.", "sunstar figures tr94-226 --figure 6"
)
figures.command("tr94-226")(figures_tr94_226)
app.add_typer(figures, name="figures")

sensitivity = group("Vary each calibrated parameter.", "sunstar sensitivity tr94-226 --records 8192 --trials 1")
sensitivity.command("tr94-226")(sensitivity_tr94_226)
app.add_typer(sensitivity, name="sensitivity")

validate = group("Compare a hardware model with what is known of real parts.", "sunstar validate drives")
validate.command("drives")(validate_drives)
validate.command("network")(validate_network)
app.add_typer(validate, name="validate")
