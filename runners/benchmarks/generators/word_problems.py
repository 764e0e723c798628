"""Short word problems of two to five steps, written for this project.

In the format of GSM8K: a question, and a worked answer whose last line is
`#### n`. All quantities are whole and positive by construction. The level is the
number of steps.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from random import Random

LEVELS = range(2, 6)

_NAMES = ("Ada", "Bruno", "Chen", "Dina", "Emeka", "Farah", "Goran", "Hana", "Ivan", "Jaya", "Kofi", "Lena")
_FRUIT = ("apples", "pears", "plums", "oranges", "peaches", "lemons")
_GOODS = ("notebooks", "pencils", "erasers", "folders", "stickers", "markers")


@dataclass(frozen=True, slots=True)
class Problem:
    """A word problem.

    Attributes:
        question: What is asked.
        steps: The worked steps, one sentence each.
        gold: The answer.
    """

    question: str
    steps: tuple[str, ...]
    gold: int

    @property
    def answer(self) -> str:
        """The worked answer, its last line `#### n`."""
        return "\n".join((*self.steps, f"#### {self.gold}"))


def _basket(rng: Random) -> Problem:
    name, fruit = rng.choice(_NAMES), rng.choice(_FRUIT)
    first, more, given = rng.randint(8, 40), rng.randint(3, 30), rng.randint(2, 7)
    total = first + more
    return Problem(
        f"{name} picks {first} {fruit} in the morning and {more} more in the afternoon. "
        f"{name} gives {given} of them to a neighbour. How many {fruit} does {name} have left?",
        (f"Altogether there are {first} + {more} = {total} {fruit}.", f"{total} - {given} = {total - given} are left."),
        total - given,
    )


def _change(rng: Random) -> Problem:
    name, goods = rng.choice(_NAMES), rng.choice(_GOODS)
    count, price = rng.randint(3, 9), rng.randint(2, 6)
    cost = count * price
    paid = cost + rng.randint(1, 30)
    return Problem(
        f"{name} buys {count} {goods} at {price} dollars each and pays with {paid} dollars. "
        f"How many dollars of change does {name} get?",
        (
            f"The {goods} cost {count} * {price} = {cost} dollars.",
            f"The change is {paid} - {cost} = {paid - cost} dollars.",
        ),
        paid - cost,
    )


def _bakery(rng: Random) -> Problem:
    trays, each, sold, price = rng.randint(4, 9), rng.randint(6, 12), rng.randint(5, 20), rng.randint(2, 5)
    baked = trays * each
    left = baked - sold
    return Problem(
        f"A bakery bakes {trays} trays of {each} rolls. It sells {sold} rolls before noon. "
        f"In the afternoon it sells the rest at {price} dollars a roll. "
        "How many dollars does it take in the afternoon?",
        (
            f"It bakes {trays} * {each} = {baked} rolls.",
            f"{baked} - {sold} = {left} rolls are left for the afternoon.",
            f"They bring {left} * {price} = {left * price} dollars.",
        ),
        left * price,
    )


def _share(rng: Random) -> Problem:
    children, each, extra = rng.randint(3, 8), rng.randint(4, 12), rng.randint(2, 9)
    boxes = rng.choice([n for n in range(2, 7) if (children * each) % n == 0] or [1])
    total = children * each
    per_box = total // boxes
    return Problem(
        f"A teacher has {boxes} boxes with {per_box} beads each and shares them equally among {children} children. "
        f"Each child then finds {extra} more beads. How many beads does each child have?",
        (
            f"There are {boxes} * {per_box} = {total} beads.",
            f"Each child gets {total} / {children} = {each} beads.",
            f"With those found each child has {each} + {extra} = {each + extra} beads.",
        ),
        each + extra,
    )


def _train(rng: Random) -> Problem:
    first, second, speed_up = rng.randint(2, 4), rng.randint(2, 5), rng.randint(5, 20)
    speed = rng.randint(4, 9) * 10
    faster = speed + speed_up
    one, two = first * speed, second * faster
    return Problem(
        f"A train runs {first} hours at {speed} km an hour, then {second} hours at {speed_up} km an hour more. "
        "How many kilometres does it run in all?",
        (
            f"In the first part it runs {first} * {speed} = {one} km.",
            f"Its new speed is {speed} + {speed_up} = {faster} km an hour.",
            f"In the second part it runs {second} * {faster} = {two} km.",
            f"In all it runs {one} + {two} = {one + two} km.",
        ),
        one + two,
    )


def _savings(rng: Random) -> Problem:
    name, weeks, saved, spent = rng.choice(_NAMES), rng.randint(5, 12), rng.randint(6, 15), rng.randint(3, 20)
    start = rng.randint(10, 50)
    put = weeks * saved
    total = start + put
    return Problem(
        f"{name} has {start} dollars and saves {saved} dollars a week for {weeks} weeks. "
        f"Then {name} spends {spent} dollars on a book. How many dollars does {name} have?",
        (
            f"In {weeks} weeks {name} saves {weeks} * {saved} = {put} dollars.",
            f"Together with the start that is {start} + {put} = {total} dollars.",
            f"After the book {total} - {spent} = {total - spent} dollars are left.",
        ),
        total - spent,
    )


def _garden(rng: Random) -> Problem:
    rows, plants, lost, price = rng.randint(4, 9), rng.randint(5, 12), rng.randint(2, 12), rng.randint(2, 4)
    costs = rng.randint(5, 15)
    planted = rows * plants
    left = planted - lost
    income = left * price
    return Problem(
        f"A gardener plants {rows} rows of {plants} tomato plants. Frost kills {lost} of them. The others are sold at "
        f"{price} dollars each, and the stall costs {costs} dollars. How many dollars does the gardener keep?",
        (
            f"There are {rows} * {plants} = {planted} plants.",
            f"After the frost {planted} - {lost} = {left} are left.",
            f"They sell for {left} * {price} = {income} dollars.",
            f"Without the cost of the stall {income} - {costs} = {income - costs} dollars remain.",
        ),
        income - costs,
    )


def _ages(rng: Random) -> Problem:
    older, younger = rng.sample(_NAMES, 2)
    age, factor, years = rng.randint(4, 12), rng.randint(2, 4), rng.randint(2, 9)
    now = age * factor
    return Problem(
        f"{younger} is {age} years old and {older} is {factor} times as old. How old will {older} be in {years} years?",
        (
            f"{older} is {factor} * {age} = {now} years old now.",
            f"In {years} years that is {now} + {years} = {now + years}.",
        ),
        now + years,
    )


def _office(rng: Random) -> Problem:
    desks, price, chairs = rng.randint(2, 6), rng.randint(4, 9) * 10, rng.randint(3, 8)
    less, off = rng.randint(1, 3) * 10, rng.randint(5, 25)
    chair = price - less
    one, two = desks * price, chairs * chair
    total = one + two
    return Problem(
        f"An office buys {desks} desks at {price} dollars each and {chairs} chairs that cost {less} dollars less each "
        f"than a desk. A voucher takes {off} dollars off the bill. How many dollars does the office pay?",
        (
            f"The desks cost {desks} * {price} = {one} dollars.",
            f"A chair costs {price} - {less} = {chair} dollars.",
            f"The chairs cost {chairs} * {chair} = {two} dollars.",
            f"The bill is {one} + {two} = {total} dollars.",
            f"With the voucher it is {total} - {off} = {total - off} dollars.",
        ),
        total - off,
    )


def _reading(rng: Random) -> Problem:
    name, pages, days, weekend = rng.choice(_NAMES), rng.randint(8, 25), rng.randint(3, 5), rng.randint(15, 40)
    left = rng.randint(20, 90)
    weekdays, two_days = pages * days, 2 * weekend
    done = weekdays + two_days
    book = done + left
    return Problem(
        f"{name} reads {pages} pages a day on {days} weekdays and {weekend} pages on each of the two days of the "
        "weekend. "
        f"The book has {book} pages. How many pages are left to read?",
        (
            f"On weekdays {name} reads {pages} * {days} = {weekdays} pages.",
            f"On the weekend {name} reads 2 * {weekend} = {two_days} pages.",
            f"Together these are {weekdays} + {two_days} = {done} pages.",
            f"{book} - {done} = {left} pages are left.",
        ),
        left,
    )


TEMPLATES: dict[int, tuple[Callable[[Random], Problem], ...]] = {
    2: (_basket, _change, _ages),
    3: (_bakery, _share, _savings),
    4: (_train, _garden, _reading),
    5: (_office,),
}
"""Templates by number of steps."""


def problem(rng: Random, level: int) -> Problem:
    """A problem of `level` steps."""
    return rng.choice(TEMPLATES[level])(rng)


def draw(rng: Random, level: int) -> tuple[str, str]:
    """A question of `level` steps, and its gold."""
    made = problem(rng, level)
    return made.question, str(made.gold)


def jsonl(count: int, seed: int) -> Iterator[str]:
    """Lines `{"question": .., "answer": ..}`, levels in turn, no question twice."""
    rng, seen = Random(seed), set[str]()
    levels = list(TEMPLATES)
    while len(seen) < count:
        made = problem(rng, levels[len(seen) % len(levels)])
        if made.question not in seen:
            seen.add(made.question)
            yield json.dumps({"question": made.question, "answer": made.answer})
