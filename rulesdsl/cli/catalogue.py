"""Every command of `rulesdsl` with its options, in the order of the help."""

from __future__ import annotations

from argparse import BooleanOptionalAction

from rulesdsl.author.lint.formats import FORMATS
from rulesdsl.cli.options import (
    CommandGroup,
    CommandRow,
    choice,
    engine,
    excludes,
    flag,
    millimetres,
    needs,
    number,
    option,
    several,
    timeout,
)
from rulesdsl.engine.run import DEFAULT_ENGINE, READY_ENGINE

SCHEMAS = (
    "balance",
    "baseline",
    "diff",
    "findings",
    "index",
    "output",
    "plan",
    "record",
    "ruleset",
    "scenarios",
    "why",
)
"""The schemas that are shipped."""

_FIRST = """\
  rulesdsl run base                play a game here, against a bot
  rulesdsl new game my_game        begin a game, or an expansion, of your own
  rulesdsl check my_game.yaml      check a ruleset for problems
  rulesdsl test my_game.test.yaml  run the scenarios of a ruleset
  rulesdsl studio                  write rules and play them in the browser
  rulesdsl host base               play with people elsewhere
"""

EXAMPLES = f"examples:\n{_FIRST}\n"
"""What `rulesdsl --help` ends with: the commands to begin with."""

FIRST = f"""\
rulesdsl plays tile-laying, card and dice games that are written as rulesets.

{_FIRST}
more commands, which `rulesdsl COMMAND --help` describes:
  to play      list, page, replay, why, print
  to write     explain, fmt, show, doc, lsp
  to measure   simulate, diff
  to publish   pack, index, export
"""
"""What `rulesdsl` alone prints."""

NO_CACHE = flag("--no-cache", "do not read or write the cache folder")
WITH = several(
    "--with", "RULESET,...", "more rulesets to load; may be given again", dest="expansions"
)
SET = several("--set", "NAME=VALUE", "choose the value of a setting; may be given again")
PATH = several("--path", "DIR", "another folder to search for rulesets; may be given again")
PLAYERS = number("--players", "the number of players (default: the fewest possible)")
LANG = option(
    "--lang", "LANGUAGE", "the language of labels, such as es (default: en)", default="en"
)
BOARD = option(
    "--board",
    None,
    "draw the board after every turn (default: on a terminal)",
    action=BooleanOptionalAction,
)
NAMES = flag("--names", "show moves as records write them")
QUIET = flag("--quiet", "print only the result")
JSON = flag("--json", "print one JSON object per line, for programs")
RULESET = option("ruleset", "RULESET", "the game")
JOBS = number("--jobs", "the number of cores to use (default: all)", 1)
WATCH = flag("--watch", "run again whenever one of the files changes, until Ctrl-C")
TOLD = option("file", "FILE", "a record (- for standard input), or a file of scenarios")
TURN = option("--turn", "N", "the turn of the record, or `last`")
SCENARIO = option("--scenario", "NAME", "the scenario of the file")
PLAYER = option("--player", "PLAYER", "show only what this player may know")
BRIEF = flag("--brief", "show only the first line of each answer")
INTO = option("--folder", "DIR", "the folder (default: the current one)", default="")
COMPONENTS = option("names", "RULESET[/ID]", "a ruleset, or one of its components", nargs="+")
PICTURE = option(
    "--to",
    "FILE",
    "draw a picture into this file, .svg or .png; PNG needs: pip install 'rulesdsl[pictures]'",
)
SIZE = number(
    "--size",
    "the width of a cell (default: 100; 300 for a single piece)",
    4,
    2000,
    metavar="PIXELS",
)
OVER = flag("--over", "draw over each tile what the rules know: lines, areas, places for figures")
THE_RULESET = option("ruleset", "RULESET", "the ruleset")
ONLY = option("--only", "NAME", "print only declarations of this name; `*` matches anything")
UNOPTIMISED = flag("--unoptimised", "print every rule as a function of its own")
TO = option("--to", "FILE", "the file to write (default: standard output)")
NUMBERS = several(
    "--players", "N,...", "the numbers of players to include (default: all that the game allows)"
)
PORT = number("--port", "the port (default: any free one)", 0, 65535, default=0)
NO_BROWSER = flag("--no-browser", "print the address without opening a browser")
ENGINE, FAST_ENGINE = engine(READY_ENGINE), engine(DEFAULT_ENGINE)
TIMEOUT = timeout("the rules")
OUTPUT = (LANG, BOARD, NAMES, QUIET, JSON)
GAME = (WITH, SET, PATH, TIMEOUT, NUMBERS)
PICTURE_ONLY = needs("--size", "--to")
STORY = (TOLD, TURN, SCENARIO, PLAYER, BRIEF, JSON, PATH, ENGINE, TIMEOUT)
DRAWN = (COMPONENTS, PICTURE, SIZE, PICTURE_ONLY, WITH, PATH, LANG)
COMPILED = (THE_RULESET, WITH, SET, PATH, PLAYERS, UNOPTIMISED, ONLY)

COMMANDS: tuple[CommandRow | CommandGroup, ...] = (
    CommandRow(
        "run",
        "play a game",
        "run.command",
        """\
A RULESET is an id, a folder, a manifest, or an archive made by `rulesdsl pack`.
Ids are looked up in the folders of --path and of the environment variable
RULESDSL_PATH, in your own ruleset folder, and among the shipped rulesets.

On a terminal you play the first colour against a bot; the game is saved as you
play. Elsewhere, and with --bots, bots play, and only the result is printed.

examples:
  rulesdsl run base                         play against a bot
  rulesdsl run base --human red,blue        two people at this terminal
  rulesdsl run base --watch                 watch bots play
  rulesdsl run base --players 3 --bots greedy,random,random --seed 7
  rulesdsl run --resume last                continue the last game
  rulesdsl run my_game.yaml --with more,house_rules --set my_game.rounds=5
  rulesdsl run base --json | head -1
""",
        option("ruleset", "RULESET", "the game", nargs="?"),
        WITH,
        SET,
        PATH,
        FAST_ENGINE,
        PLAYERS,
        number("--seed", "the seed of all chance (default: 0, or a new one if people play)"),
        several(
            "--bots",
            "NAME,...",
            "the bots that play the other colours, one for all or one for each: random, "
            "greedy, mcts, mcts:500 with 500 playouts per move (default: 2000), or "
            "mcts:0.5s with half a second per move (default: greedy against people, "
            "otherwise random)",
        ),
        several(
            "--human",
            "COLOUR,...",
            "the colours that people play (default: the first, on a terminal)",
            nargs="?",
            const="",
        ),
        flag("--watch", "let bots play, and print their moves", dest="watched"),
        option(
            "--record",
            "FILE",
            "record the game in this file (default: games that people play are saved, "
            "see `rulesdsl replay`)",
        ),
        option(
            "--resume",
            "GAME",
            "continue a recorded game with the same players: a file, a saved game or `last` "
            "(default)",
            nargs="?",
            const="last",
        ),
        excludes("--resume", "RULESET", "--with", "--set", "--players", "--seed", "--record"),
        excludes("--json", "--human"),
        excludes("--watch", "--human", "--quiet"),
        *OUTPUT,
        TIMEOUT,
    ),
    CommandRow(
        "list",
        "list the rulesets with their settings",
        "listing.rulesets",
        """\
Lists the shipped games, your own, and those in the current folder, with their
expansions and settings. Of each setting it shows the default, then the other
values.

examples:
  rulesdsl list
  rulesdsl list downloads --lang es         and those in this folder
""",
        option("folders", "FOLDER", "more folders with rulesets", nargs="*"),
        PATH,
        LANG,
    ),
    CommandRow(
        "simulate",
        "play many games and print statistics",
        "simulate.command",
        """\
Game K of a seed is the same game on every engine, machine and number of cores.
Bots rotate by one seat from game to game, so that each plays every seat. Every
number has a 95 % confidence interval.

With --out every game is stored in a folder of Parquet files as it is played.
After an interruption or a full disk the same command continues from there.
After --timeout the statistics are those of the finished games.

With --budget the file RULESET.balance.yaml beside the ruleset says which games
are played and the bounds of their statistics. A bound that is broken, or that
cannot be told with these games, is a problem.

examples:
  rulesdsl simulate base --games 100000
  rulesdsl simulate base --bots greedy,random --games 200
  rulesdsl simulate base --compare with=more --compare with=other,rounds=5
  rulesdsl simulate base --games 1000000 --out results.parquet
  rulesdsl simulate base --to report.html
  rulesdsl simulate base --budget
""",
        RULESET,
        number("--games", "the number of games (default: 1000)"),
        WITH,
        SET,
        several(
            "--compare",
            "CHANGE,...",
            "also play every game with a change (with=RULESET, without=RULESET or "
            "SETTING=VALUE) and print the difference; may be given again",
        ),
        PLAYERS,
        several(
            "--bots",
            "NAME,...",
            "the bots: one for all seats or one for each, or Python files with bots, "
            "such as policy.py (default: random)",
        ),
        number("--seed", "the seed of all games (default: 0)", default=0),
        flag(
            "--budget",
            "play until it is certain whether each bound in RULESET.balance.yaml holds",
        ),
        excludes(
            "--budget",
            *("--games", "--with", "--set", "--compare", "--players", "--bots", "--out"),
        ),
        PATH,
        FAST_ENGINE,
        timeout("the games"),
        JOBS,
        option(
            "--scheduler",
            "ADDRESS",
            "play on the Dask cluster at tcp://HOST:PORT; needs: pip install 'rulesdsl[cluster]'",
        ),
        option(
            "--out",
            "FOLDER",
            "store all games in this folder, and continue from the games in it; needs: "
            "pip install 'rulesdsl[stats]'",
        ),
        option(
            "--format",
            None,
            "the output format (default: by the ending of --to, otherwise a table)",
            choices=["table", "json", "csv", "parquet", "html"],
        ),
        flag("--json", "the same as --format json"),
        option("--to", "FILE", "write to this file instead of standard output"),
    ),
    CommandRow(
        "check",
        "check rulesets for problems",
        "check.command",
        """\
Each PATH is a ruleset (an id, a folder, a manifest, or its rules file), which
is checked with the rulesets it requires, or a file of scenarios, whose form is
checked. In a folder that is not a ruleset, all rulesets and scenarios are
checked. Problems are written to standard output. The exit code is 1 for errors
and warnings, 0 for notes.

A comment `# allow: SLUG` at the end of a line, or above it, allows a warning or
note there.

examples:
  rulesdsl check base
  rulesdsl check my_game.yaml --with more
  rulesdsl check rulesets/ --level unused=note
  rulesdsl check rulesets/ --format sarif
  rulesdsl check base --all-subsets         with any of its expansions
  rulesdsl check my_game.yaml --play 50     report what never happens
  rulesdsl check my_game.yaml --watch       check again after every change
""",
        option("paths", "PATH", "a file, folder or id", nargs="+"),
        WITH,
        flag(
            "--all-subsets",
            "check with every subset of the expansions in --with, or of all that extend "
            "the ruleset",
        ),
        number(
            "--games",
            "the number of random games that a game without errors is tried with "
            "(default: 100), some of them also with the rulesets in another order",
            1,
            default=100,
        ),
        flag("--no-play", "play no random games"),
        number(
            "--play",
            "also play N random games with subsets of the expansions in --with, or of "
            "all that extend the ruleset, and report rules that never ran, options that "
            "were never legal and points that nobody got",
            1,
        ),
        number("--seed", "the seed of the games of --play (default: 0)", default=0),
        option(
            "--failures",
            "FOLDER",
            "write each game of --play that fails to this folder as a record, with the "
            "fewest moves that show the failure",
        ),
        SET,
        timeout("the check"),
        WATCH,
        several(
            "--level",
            "SLUG=LEVEL,...",
            "set the severity of a kind of problem to error, warning, note or off; "
            "`all` means all kinds that are not named; errors that prevent a game stay "
            "errors; may be given again",
        ),
        option("--baseline", "FILE", "do not report the problems that this file lists"),
        flag(
            "--write-baseline",
            "write the problems found to the file of --baseline, replacing its list",
        ),
        excludes("--all-subsets", "--set"),
        excludes("--watch", "--write-baseline"),
        needs("--failures", "--play"),
        needs("--write-baseline", "--baseline"),
        choice("--format", "the output format", "text", *FORMATS),
        PATH,
    ),
    CommandRow(
        "explain",
        "explain a kind of problem",
        "new.explain",
        """\
The SLUG of a problem is in brackets: error[unknown-name]. Its page shows what
it means and how to fix it, with a wrong and a right example. Without a SLUG it
lists all kinds.

examples:
  rulesdsl explain unknown-name
  rulesdsl explain
""",
        option("slug", "SLUG", "the kind of problem", nargs="?"),
    ),
    CommandRow(
        "test",
        "run the scenarios and golden records of rulesets",
        "test.command",
        """\
A FILE contains scenarios (positions, moves, and what must hold after them) or
is a golden record (a recorded game that must run the same way again). A folder
or an archive means all files in it and below that end in `.test.yaml` or
`.game.jsonl`, a ruleset (an id, a manifest, its rules) those that name it. The
folder of the file is searched for rulesets too. Failures are written to
standard output.

With --coverage the parts of rules that no scenario covers are reported too: for
a folder those of all rulesets in it, for a file NAME.test.yaml those of the
ruleset NAME beside it. They count as problems. It needs the engine `python`.

With --mutants the same rulesets are changed in many small ways, one at a time:
a guard removed, a comparison moved by one, a number changed. Changes that
neither `check` nor a scenario notices are reported with the situation that is
missing. They count as problems, or as notes if random games go the same way.
Golden records are not run, because they would notice every change.

With --record no tests run: a recorded game becomes a scenario of one turn, or,
if --to ends in `.game.jsonl`, a golden record. Both pass at first.

With --update wrong expected numbers and names are corrected in the file, each
after your confirmation. Golden records are written anew.

examples:
  rulesdsl test my_game.test.yaml
  rulesdsl test my_game-1.0.0.zip
  rulesdsl test rulesets/ -k shield
  rulesdsl test rulesets/ --coverage
  rulesdsl test my_game.test.yaml --mutants
  rulesdsl test my_game.test.yaml --watch
  rulesdsl test my_game.test.yaml --update
  rulesdsl test --record game.jsonl --turn 12 --to my_game.test.yaml
  rulesdsl test --record game.jsonl --to my_game.game.jsonl
""",
        option("files", "FILE", "files or folders of tests", nargs="*"),
        several(
            "-k --filter",
            "TEXT",
            "run only tests with this text in their names; may be given again",
        ),
        flag("--coverage", "also report rules that no scenario covers"),
        flag(
            "--mutants",
            "change the rules in many small ways, one at a time, and report which "
            "changes no scenario notices",
        ),
        JOBS,
        flag("--update", "show the changes that would make the tests pass, and ask"),
        flag("--yes", "with --update: make all changes without asking"),
        option("--record", "GAME", "make a test of this recorded game instead"),
        number("--turn", "with --record: the turn to show (default: the last)"),
        option("--name", "TEXT", "with --record: the name of the test"),
        option(
            "--to",
            "FILE",
            "with --record: the file to write, appending to a `.test.yaml` or making a "
            "`.game.jsonl` (default: print a scenario); with --format: the file of the "
            "report",
        ),
        choice(
            "--format",
            "the output format; html and json include the coverage",
            *("text", "json", "junit", "html"),
        ),
        PATH,
        ENGINE,
        timeout("each test", dest="each"),
        WATCH,
        excludes(
            "--record",
            *("FILE", "--coverage", "--mutants", "--update", "-k", "--format", "--watch"),
        ),
        needs("--turn", "--record"),
        needs("--name", "--record"),
        needs("--to", "--record", "--format"),
        needs("--yes", "--update"),
        excludes("--update", "--format", "--watch"),
        excludes("--coverage", "--engine"),
        excludes("--mutants", "--coverage", "--update", "--engine"),
    ),
    CommandGroup(
        "why",
        "explain points, illegal moves, and which rule won",
        "Explain a turn of a record, or a scenario.",
        (
            CommandRow(
                "points",
                "explain why points were given",
                "why.points",
                """\
Shows every change of the score in a turn, or in a scenario: the sum, the rules
it comes from with the value of each term, who gets it, and the actions that
ran. Without --turn the turns of a record that scored are listed.

examples:
  rulesdsl why points last
  rulesdsl why points game.jsonl --turn 12
  rulesdsl why points game.jsonl --turn last --of red
  rulesdsl why points my_game.test.yaml --scenario 'a closed village pays'
""",
                *STORY,
                option("--of", "PLAYER", "only the points of this player (default: all players)"),
            ),
            CommandRow(
                "not",
                "explain why a move is not legal",
                "why.refused",
                """\
Shows the conditions that closed an option, with the values in them. A MOVE is
written as in scenarios, records and games. Arguments that are left out match
every value; then all matching moves are explained.

examples:
  rulesdsl why not game.jsonl --turn 12 at 1,0,90
  rulesdsl why not game.jsonl --turn 12 put house village@N
  rulesdsl why not game.jsonl --turn 12 put s=village@N
""",
                *STORY,
                option("move", "MOVE", "the move, or a part of it", nargs="+"),
            ),
            CommandRow(
                "value",
                "explain the result of a value",
                "why.value",
                """\
Shows all rules of a value: which one wins or which add up, the result of each,
and which rules it beats. Without arguments it shows every call in the turn.
With arguments it shows the calls with these, or the value at the end of the
turn if there were none. An ARGUMENT is a name as in moves, or an expression.

examples:
  rulesdsl why value game.jsonl --turn 12 worth_of
  rulesdsl why value game.jsonl --turn 12 worth_of 'village@N.E(0,0)'
  rulesdsl why value game.jsonl --turn 12 strength red 'village@N.E(0,0)'
""",
                *STORY,
                option("name", "NAME", "the name of the value"),
                option("arguments", "ARGUMENT", "an argument of the value", nargs="*"),
            ),
        ),
    ),
    CommandRow(
        "fmt",
        "format rules, manifests and scenarios",
        "rewriting.format",
        """\
Formats rules, manifests and scenarios. A PATH is such a file, or a folder,
which means all such files in it and below. The meaning and the comments of a
file stay the same. A file that does not parse is left alone. `-` formats
standard input, which is written as it is if it does not parse.

examples:
  rulesdsl fmt my_idea.rules my_idea.yaml
  rulesdsl fmt .
  rulesdsl fmt --check rulesets             show what would change, for CI
  rulesdsl fmt - --name x.rules < x.rules   for editors
""",
        option("paths", "PATH", "a file, a folder or -", nargs="+"),
        flag("--check", "write nothing, show what would change; exit code 1 if anything would"),
        flag("--diff", "write nothing, show what would change"),
        option(
            "--name",
            "FILE",
            "the name of standard input; its ending determines the type (default: by content)",
        ),
    ),
    CommandGroup(
        "new",
        "make the first files of a ruleset",
        "Make the first files.",
        (
            CommandRow(
                "expansion",
                "begin an expansion",
                "new.expansion",
                """\
Makes NAME.yaml, NAME.rules, NAME.test.yaml and a page NAME.md: one tile (or a
setting if the game has no tiles), one rule that refines a value of the game,
and scenarios that show its effect. The expansion can be checked, tested and
played at once. Existing files are not overwritten.

examples:
  rulesdsl new expansion my_idea
  rulesdsl new expansion my_idea --of dice_game --folder ideas
""",
                option("name", "NAME", "the id of the new expansion"),
                option("--of", "RULESET", "the game to extend (default: base)", default="base"),
                INTO,
                PATH,
            ),
            CommandRow(
                "game",
                "begin a game",
                "new.game",
                """\
Makes NAME.yaml, NAME.rules, NAME.test.yaml and a page NAME.md: a small game of
tiles, cards, dice, or stones on a board, that can be checked, tested and played
at once. Existing files are not overwritten.

examples:
  rulesdsl new game my_game
  rulesdsl new game my_game --of cards --folder my_games
""",
                option("name", "NAME", "the id of the new game"),
                option(
                    "--of",
                    None,
                    "what it is played with (default: tiles)",
                    choices=("tiles", "cards", "dice", "board"),
                ),
                INTO,
                PATH,
            ),
        ),
    ),
    CommandRow(
        "pack",
        "pack a ruleset into one file",
        "new.pack",
        """\
Packs a RULESET (a folder or a manifest) into one file, ID-VERSION.zip or the
name in --to, which every command can load. Of a folder all files are packed, of
a manifest its rules, scenarios and page. The same files make the same archive,
which contains their checksums.

examples:
  rulesdsl pack my_idea.yaml
  rulesdsl run base --with my_idea-0.1.0.zip
""",
        option("ruleset", "RULESET", "a folder or a manifest"),
        option("--to", "FILE", "the archive (default: ID-VERSION.zip)"),
        PATH,
    ),
    CommandRow(
        "replay",
        "replay a recorded game",
        "run.replay",
        """\
Games that people play are saved. Without FILE they are listed; every command
that takes a record also takes the name of one, or `last` for the latest.

Stops with an error at the first move that is not legal, or if a ruleset has
changed since the game was recorded. The folder of the record is searched for
rulesets too. A record that stops before the end of the game is replayed as far
as it goes, with a warning and exit code 1, unless it is a saved game.

examples:
  rulesdsl replay                           list your saved games
  rulesdsl replay last
  rulesdsl replay game.jsonl
  rulesdsl replay - --json < game.jsonl
""",
        option("record", "FILE", "the record; - for standard input", nargs="?"),
        flag("--all", "list all saved games (default: the last 20)"),
        excludes("--all", "FILE"),
        PATH,
        FAST_ENGINE,
        *OUTPUT,
        TIMEOUT,
    ),
    CommandGroup(
        "show",
        "show pieces, boards, schemas and compiled rules",
        "Show as text or pictures.",
        (
            CommandRow(
                "piece",
                "draw tiles, cards, dice, tokens, figures",
                "show.piece",
                """\
examples:
  rulesdsl show piece base                  all of a ruleset
  rulesdsl show piece base/ID               one of them
  rulesdsl show piece my_cards.yaml --to cards.svg    a sheet of them
  rulesdsl show piece base/ID --to tile.png --size 60
  rulesdsl show piece my_tiles.yaml --over --to over.png
""",
                *DRAWN,
                OVER,
                needs("--over", "--to"),
            ),
            CommandRow(
                "board",
                "draw the board of a recorded game, or of a ruleset at the start",
                "show.board",
                """\
A turn is a sequence of moves of one player in which no choice is asked twice,
as `replay` numbers them; turn 0 is the start.

examples:
  rulesdsl show board game.jsonl
  rulesdsl show board game.jsonl --turn 12
  rulesdsl show board game.jsonl --to board.png
  rulesdsl show board gardens.yaml          before the first turn
""",
                option("record", "FILE", "the record; - for standard input"),
                number("--turn", "the board after this turn (default: the last)"),
                PICTURE,
                SIZE,
                PICTURE_ONLY,
                PATH,
                FAST_ENGINE,
                TIMEOUT,
                LANG,
            ),
            CommandRow(
                "icons",
                "show the icons and colours that `draw` can name",
                "show.icons",
                """\
examples:
  rulesdsl show icons                       their names
  rulesdsl show icons --to icons.png        all of them on a sheet
""",
                PICTURE,
                SIZE,
                PICTURE_ONLY,
            ),
            CommandRow(
                "schema",
                "show the schema of a kind of file",
                "show.schema",
                """\
Prints the JSON Schema (2020-12) of a kind of file. Many editors use it for
files that begin with `# yaml-language-server: $schema=PATH`.

examples:
  rulesdsl show schema ruleset > ruleset.schema.json
  rulesdsl show schema findings             what check --format json writes
""",
                option("name", "NAME", ", ".join(SCHEMAS), choices=SCHEMAS),
            ),
            CommandRow(
                "ast",
                "show the syntax tree of rules",
                "stages.syntax",
                """\
Prints the syntax trees of all rules files of the game; with --checked the
checked tree of the game, with resolved names and types.

examples:
  rulesdsl show ast base --only score
  rulesdsl show ast base --with more --checked --only 'base/game.*'
""",
                THE_RULESET,
                WITH,
                SET,
                PATH,
                flag("--checked", "print the checked tree"),
                ONLY,
            ),
            CommandRow(
                "ir",
                "show the compiled program of a game",
                "stages.program",
                """\
Prints the rules and the runtime, compiled to a program over integers.

examples:
  rulesdsl show ir base --players 3
  rulesdsl show ir base --unoptimised --only 'value_*'
""",
                *COMPILED,
            ),
        ),
    ),
    CommandRow(
        "doc",
        "write a rule book",
        "show.book",
        """\
Writes a rule book for the players of a RULESET and its expansions: the contents
of the box, the rules in prose with drawn examples, the settings, and all points
at a glance. The prose comes from NAME.book.LANGUAGE.md beside a ruleset, or
from the comments of its rules. With --reference the book has every rule and
every scenario, for authors. It is one self-contained HTML file; the same
rulesets make the same book. Needs: pip install 'rulesdsl[book]'

On a terminal, without --to, it shows the prose.

examples:
  rulesdsl doc base
  rulesdsl doc base --to book.html
  rulesdsl doc base --with more --lang es --to libro.html
""",
        flag("--reference", "write every rule and scenario, for authors"),
        RULESET,
        WITH,
        SET,
        PATH,
        LANG,
        TIMEOUT,
        TO,
    ),
    CommandRow(
        "print",
        "write sheets of pieces to print and cut out",
        "show.sheets",
        """\
Writes the components of a RULESET and of the expansions in --with, as often as
they are in the box, and its boards and tracks, on sheets with marks for
cutting. The file is one HTML page: open it in a browser and print it without
scaling, or save it as a PDF. Figures are folded at their heads and stand on
their feet. Boards that are larger than the paper are cut into parts.

examples:
  rulesdsl print base --to sheets.html
  rulesdsl print my_expansion.yaml --to sheets.html    only what it adds
  rulesdsl print base --duplex long --bleed 2 --to sheets.html
  rulesdsl print card_game --paper letter --card 60 --to cards.html
""",
        RULESET,
        WITH,
        choice("--paper", "the paper", "a4", "letter"),
        millimetres("--margin", 5, "the rim of the paper that stays white"),
        millimetres("--bleed", 0, "the rim around tiles and cards that is cut off"),
        millimetres("--tile", 45, "the width of a cell of a tile"),
        millimetres("--card", 63, "the width of a card"),
        millimetres("--token", 20, "the width of a token or figure"),
        millimetres("--die", 16, "the width of a face of a die"),
        option(
            "--duplex",
            None,
            "also print backs, on the reverse of paper that the printer turns on this edge",
            choices=("long", "short"),
        ),
        flag("--fold", "print dice of six faces as nets to fold (default: faces to stick on)"),
        SET,
        PATH,
        LANG,
        TIMEOUT,
        TO,
    ),
    CommandRow(
        "page",
        "play a game in the browser, or write the page that plays it",
        "browser.page",
        """\
Opens a page that plays a RULESET and its expansions in the browser, from a
server that only this machine can reach and that ends with Ctrl-C. People at one
device and bots can play. Games are saved as they are played. With a record
(.jsonl) or a saved game such as `last` instead of a ruleset, the page shows the
recorded game.

With --to it writes one HTML file, which plays in any browser without a server,
a network or an installation.

examples:
  rulesdsl page base --with more
  rulesdsl page last
  rulesdsl page base --with more --to game.html
""",
        option("ruleset", "RULESET", "the game, or a record of one"),
        *GAME,
        option("--to", "FILE", "write the page to this file"),
        PORT,
        NO_BROWSER,
        excludes("--to", "--port", "--no-browser"),
    ),
    CommandRow(
        "host",
        "play with people elsewhere",
        "browser.host",
        """\
Opens a table for each RULESET with expansions and prints a secret link for each
seat, one to watch, and one to administer the table. Whoever opens a link plays
in any browser; nobody is told what their seat may not know. Each move is kept
before anybody sees it, so a table goes on after Ctrl-C: its links lead to it
whenever the same game is hosted at the same address. Needs: pip install
'rulesdsl[host]'

examples:
  rulesdsl host base --with more --players 3
  rulesdsl host card_game --players 3 --bots greedy
  rulesdsl host base --bind 192.168.1.5
  rulesdsl host base --bind 127.0.0.1 --address https://play.example.org
  rulesdsl host base card_game --lobby
  rulesdsl host base --no-table
  rulesdsl host base --no-table --database postgresql://name@127.0.0.1/tables
""",
        option(
            "rulesets", "RULESET", "the game; with several, the lobby offers a choice", nargs="+"
        ),
        WITH,
        SET,
        PATH,
        number("--players", "the number of players (default: the fewest)"),
        option("--bots", "BOT,...", "the bots that play the last seats", default=""),
        number(
            "--turn-time", "have a bot move for who takes longer", 5, 604_800, metavar="SECONDS"
        ),
        flag("--lobby", "list tables with free seats to whoever opens the address"),
        flag("--no-table", "open no new table, for those whose links people have"),
        option(
            "--bind",
            "IP",
            "the address of this machine at which others reach it (default: only this machine)",
            default="127.0.0.1",
        ),
        option("--address", "URL", "how browsers reach it, if a proxy or tunnel stands before it"),
        number("--port", "the port (default: 8642)", 0, 65535, default=8642),
        number("--connections", "the most at once (default: 192)", 1, 100_000, default=192),
        option("--tables", "FILE", "the file of the tables (default: with your saved games)"),
        option("--database", "URL", "a PostgreSQL database instead, which several servers share"),
        excludes("--database", "--tables"),
    ),
    CommandRow(
        "studio",
        "edit rulesets in the browser",
        "browser.studio",
        """\
Opens an editor for the rulesets in FOLDER in the browser. It shows mistakes and
their fixes as you type, scenarios, drawings of tiles, and a game that continues
under the changed rules. Save writes the files. Without FOLDER it opens examples
and saves nothing. The server can only be reached from this machine, and ends
with Ctrl-C.

--site and --single write a studio that needs neither a server nor an
installed Python: it runs Python in the browser with Pyodide (npm install
pyodide).

examples:
  rulesdsl studio
  rulesdsl studio my_rules --no-browser
  rulesdsl studio --site public
  rulesdsl studio --single studio.html
""",
        option("folder", "FOLDER", "the folder to edit", nargs="?"),
        PATH,
        PORT,
        NO_BROWSER,
        option("--site", "DIR", "write static files for any host"),
        option("--single", "FILE", "write one HTML file"),
        excludes("--single", "--site", "FOLDER"),
        excludes("--site", "FOLDER"),
        option("--pyodide", "DIR", "the folder of Pyodide (default: node_modules/pyodide)"),
    ),
    CommandRow(
        "index",
        "write a site about the rulesets in a folder",
        "index.command",
        """\
Writes a site for any host from the rulesets and archives in FOLDER: a page for
each (its pieces, book, licence, the page that plays it, its archive), and for
each game the matrix of which expansions go together. Each pair is proved, and
played in random games; findings are shown with their lines. Results are kept in
the site, and only what has changed is proved again.

With --studio the page of a ruleset opens it in a studio that `rulesdsl studio
--site` or `--single` has written, or that is at an address.

With --submitted nothing is written: these rulesets are checked against all
others in FOLDER. The exit code is 1 if a ruleset has errors of its own, not if
it clashes with another one.

examples:
  rulesdsl index rulesets --to public
  rulesdsl index rulesets --to public --studio public/studio
  rulesdsl index rulesets --submitted rulesets/my_idea.yaml
""",
        option("folder", "FOLDER", "the folder with the rulesets"),
        option("--to", "SITE", "the folder to write"),
        several("--submitted", "PATH,...", "judge only these rulesets of the folder"),
        option("--title", "TEXT", "the title of the site (default: the name of the folder)"),
        option("--studio", "PATH", "a studio to open rulesets in: a folder, a file or its address"),
        number(
            "--games",
            "the number of random games for each set that is played; 0 plays none (default: 5)",
            0,
            default=5,
        ),
        option("--summary", "FILE", "add the answers to this file, in Markdown"),
        option("--sarif", "FILE", "write the findings to this file in the format SARIF"),
        choice("--format", "the output format", "text", *FORMATS),
        JOBS,
    ),
    CommandRow(
        "diff",
        "say what a new version of a ruleset changes",
        "diff.command",
        """\
OLD and NEW are two versions of one ruleset: manifests, folders or archives, of
which each is loaded with what it requires. It lists changed pieces, settings,
texts, and rules that differ in meaning, not in form. Then the same random games
are played in both, with all numbers of players and up to four choices of the
settings: the first difference in moves, points or winners is shown as a
scenario, with the rules that ran and the differences of statistics.

The exit code is 1 if the new version number claims less than what has changed.
A patch changes no game, a minor version only adds settings that are off, and
what is only there with them. Anything else is a major version.

examples:
  rulesdsl diff old/bees.yaml new/bees.yaml
  rulesdsl diff bees-1.0.0.zip bees.yaml --with ants --format json
""",
        option("old", "OLD", "the old version"),
        option("new", "NEW", "the new version"),
        WITH,
        SET,
        PATH,
        FAST_ENGINE,
        choice("--format", "the output format", "text", "json"),
        number("--players", "the number of players (default: all in turn)"),
        number("--seed", "the seed of the games (default: 0)", default=0),
        number(
            "--games",
            "the number of random games to compare; 0 plays none (default: 20)",
            0,
            default=20,
        ),
        TIMEOUT,
    ),
    CommandRow(
        "export",
        "write a game as data for other programs",
        "browser.export",
        """\
Writes a RULESET and its expansions as JSON for programs in other languages: a
WebAssembly module for each number of players, the meaning of its tables, names,
labels in all languages, and drawings. `rulesdsl show schema plan` describes it.

examples:
  rulesdsl export base --to base.json
  rulesdsl export base --with more --players 2 --to two.json
""",
        RULESET,
        *GAME,
        TO,
    ),
    CommandRow(
        "lsp",
        "run the language server for editors",
        "lsp.command",
        """\
Editors start it and speak the language server protocol with it over standard
input and output. docs/how-to/editors.md describes the setup.
""",
        # Some editors pass it in any case.
        flag("--stdio", "use standard input and output, which is the default"),
    ),
)
"""All commands, in the order of the help."""
