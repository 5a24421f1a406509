# SPDX-License-Identifier: MIT
"""The command line `sunstar`. Each command has its own module, beside the code it works on."""

import typer

from sunstar.papers.enwrich.command import reproduce_enwrich
from sunstar.papers.tr94_226.figures_command import figures_tr94_226
from sunstar.papers.tr94_226.reproduce_command import reproduce_tr94_226
from sunstar.papers.tr94_226.sensitivity_command import sensitivity_tr94_226
from sunstar.validation.costs.command import validate_costs
from sunstar.validation.drives.command import validate_drives
from sunstar.validation.network.command import validate_network

HELP = {"help_option_names": ["-h", "--help"]}


def group(text: str, example: str) -> typer.Typer:
    """Commands under one name; --help shows the example."""
    return typer.Typer(
        help=f"{text}\n\nExample: {example}", no_args_is_help=True, context_settings=HELP, rich_markup_mode=None
    )


app = group("Explore the machines that Sunstar simulates.", "sunstar reproduce tr94-226")
app.pretty_exceptions_enable = False

reproduce = group("Compare a system with its published figures.", "sunstar reproduce tr94-226 --trials 3")
reproduce.command("tr94-226")(reproduce_tr94_226)
reproduce.command("enwrich")(reproduce_enwrich)
app.add_typer(reproduce, name="reproduce")

figures = group(
    "Repeat the sweeps of a paper's figures, and check what it says about them.", "sunstar figures tr94-226 --figure 6"
)
figures.command("tr94-226")(figures_tr94_226)
app.add_typer(figures, name="figures")

sensitivity = group("Vary each calibrated parameter.", "sunstar sensitivity tr94-226 --records 8192 --trials 1")
sensitivity.command("tr94-226")(sensitivity_tr94_226)
app.add_typer(sensitivity, name="sensitivity")

validate = group(
    "Compare a hardware model with real parts or with an established simulator.", "sunstar validate drives"
)
validate.command("drives")(validate_drives)
validate.command("network")(validate_network)
validate.command("costs")(validate_costs)
app.add_typer(validate, name="validate")
