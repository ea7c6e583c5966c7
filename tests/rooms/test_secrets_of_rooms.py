"""The random numbers of a room cannot be predicted from earlier ones."""

from hashlib import blake2b
from itertools import islice

import pytest

from gamehall.core import SeededRandom
from gamehall.games.connect_four import ConnectFourPosition
from gamehall.protocols.catalogue import all_protocols
from gamehall.rooms.requests import Join, Play, Rematch
from gamehall.rooms.secrets import SecretRandom, match_seed, room_secrets
from tests.support.hosted import Hosted
from tests.support.journal_changes import Begin

SECRET = bytes(range(32))
GAMES = 701


def play_games(hosted: Hosted, games: int) -> None:
    """Seat two players at the tttp door, and play the shortest possible games."""
    hosted.seat_two()
    for _ in range(games):
        play_on(hosted)
        hosted.ask("ann", Rematch())


def play_on(hosted: Hosted) -> None:
    for number in range(7):
        who, column = ("ann", 0) if number % 2 == 0 else ("bob", 1)
        position = hosted.view().tables[0].position
        assert isinstance(position, ConnectFourPosition)
        hosted.ask(who, Play(position.named(column, 0)))


class Twister:
    """Predicts the output of Python's random module.

    Seeds of 63 bits are two outputs each, of which the lowest bit of the second is missing. Every
    output is a linear function of one word of the state, and each word follows linearly from three
    earlier ones: so two seeds that are far enough apart give equations for the missing bits.
    """

    SIZE, OFFSET = 624, 397

    def __init__(self, seeds: list[int]) -> None:
        outputs = [part for seed in seeds for part in (seed & 0xFFFFFFFF, seed >> 32 << 1)]
        self.words = [self._untempered(output) for output in outputs]
        self.blur = self._untempered(1)
        """The effect of the missing bit of an output on the state."""
        self._find_missing_bits()

    def next_seed(self) -> int:
        """Return the seed after the given ones."""
        at = len(self.words)
        low, high = (self._tempered(self._follows(at + n)) for n in (0, 1))
        return low | high >> 1 << 32

    def _find_missing_bits(self) -> None:
        for at in range(self.SIZE, len(self.words), 2):
            one, other = at - self.SIZE + 1, at - self.SIZE + self.OFFSET
            before = self.words[one], self.words[other]
            for bits in ((0, 0), (0, 1), (1, 0), (1, 1)):
                self.words[one] = before[0] ^ bits[0] * self.blur
                self.words[other] = before[1] ^ bits[1] * self.blur
                if self._follows(at) == self.words[at]:
                    break
            else:
                raise ValueError("this was not drawn by that generator")

    def _follows(self, at: int) -> int:
        first, second, third = (
            self.words[at - self.SIZE + further] for further in (0, 1, self.OFFSET)
        )
        mixed = first & 0x80000000 | second & 0x7FFFFFFF
        return third ^ mixed >> 1 ^ (0x9908B0DF if mixed & 1 else 0)

    @staticmethod
    def _tempered(word: int) -> int:
        word ^= word >> 11
        word ^= word << 7 & 0x9D2C5680
        word ^= word << 15 & 0xEFC60000
        return word ^ word >> 18

    @staticmethod
    def _untempered(word: int) -> int:
        word ^= word >> 18
        word ^= word << 15 & 0xEFC60000
        found = word
        for _ in range(5):
            found = word ^ found << 7 & 0x9D2C5680
        word = found
        for _ in range(3):
            found = word ^ found >> 11
        return found


def test_the_random_generator_of_bots_is_predictable() -> None:
    """So the same attack would work against rooms, if they drew from it."""
    shuffler = SeededRandom(4711)
    seeds = [shuffler.seed() for _ in range(GAMES)]
    assert Twister(seeds[:-1]).next_seed() == seeds[-1]


def test_TM_12_the_seed_of_the_next_match_cannot_be_computed_from_those_of_700_before() -> None:
    hosted = Hosted()
    play_games(hosted, GAMES)
    seeds = [record.seed for record in hosted.journal.records]
    assert len(set(seeds)) == GAMES
    with pytest.raises(ValueError, match="not drawn by that generator"):
        Twister(seeds[:-1])


def test_the_seed_of_a_match_is_a_keyed_hash_of_its_number() -> None:
    """Written out a second time: records that were kept must stay what they are."""
    hosted = Hosted()
    play_games(hosted, 5)
    secret = hosted.journal.rooms["tttp/1"].spec.seed
    assert len(secret) == 32
    expected = [
        int.from_bytes(blake2b(f"{n}/".encode(), digest_size=32, key=secret, person=b"match")
                       .digest(), "big") >> 193
        for n in range(5)
    ]  # fmt: skip
    assert [record.seed for record in hosted.journal.records] == expected
    assert [match_seed(secret, n) for n in range(5)] == expected


def test_seeds_have_63_bits() -> None:
    seeds = [match_seed(SECRET, number) for number in range(1000)]
    assert max(seeds).bit_length() == 63
    union = 0
    for seed in seeds:
        union |= seed
    assert union == 2**63 - 1


def test_draws_for_different_purposes_are_independent() -> None:
    alone, busy = SecretRandom(SECRET), SecretRandom(SECRET)
    for _ in range(20):
        ids = [busy.uuid() for _ in range(3)]
        assert len(set(ids)) == 3
        busy.pick(range(10))
        assert busy.seed() == alone.seed()
    once, again = SecretRandom(SECRET), SecretRandom(SECRET)
    once.seed(), once.pick("ab")
    assert [once.uuid() for _ in range(5)] == [again.uuid() for _ in range(5)]


@pytest.mark.parametrize("source", [SeededRandom(1), SecretRandom(SECRET)])
def test_all_draws_are_counted(source: SeededRandom) -> None:
    source.seed(), source.uuid(), source.uuid(), source.token(), source.pick("ab")
    assert source.count("tournament") == 1
    counts = {"match": 1, "uuid": 2, "token": 1, "pick": 1, "tournament": 1}
    assert source.drawn == counts


def test_another_secret_gives_other_draws() -> None:
    one, other = SecretRandom(SECRET), SecretRandom(bytes(32))
    assert one.seed() != other.seed()
    assert one.uuid() != other.uuid()
    picked = [[shuffler.pick(range(1000)) for _ in range(10)] for shuffler in (one, other)]
    assert picked[0] != picked[1]


def test_picks_are_fair() -> None:
    shuffler = SecretRandom(SECRET)
    picked = [shuffler.pick("abc") for _ in range(3000)]
    assert all(850 < picked.count(letter) < 1150 for letter in "abc")


@pytest.mark.parametrize("length", [0, 8, 31, 33, 64])
def test_TM_12_a_secret_has_256_bits(length: int) -> None:
    with pytest.raises(ValueError, match=f"32 bytes, not {length}"):
        SecretRandom(bytes(length))


def test_every_room_gets_a_new_secret_each_time_it_begins() -> None:
    names = [*all_protocols(), "nim"]
    secrets = [secret for name in names for secret in islice(room_secrets(7, name), 3)]
    assert len(set(secrets)) == len(secrets)
    assert {len(secret) for secret in secrets} == {32}
    assert list(islice(room_secrets(7, "tttp"), 3)) == secrets[3 * names.index("tttp") :][:3]
    assert not {*secrets} & {*islice(room_secrets(8, "tttp"), 3)}


@pytest.mark.parametrize("games", [3, 20], ids=["with the whole journal", "after a compaction"])
def test_a_restart_does_not_change_the_seed_of_the_next_match(games: int) -> None:
    hosted = Hosted()
    play_games(hosted, games)
    later = Hosted(journal=hosted.journal.after_a_crash(), now=1000.0)
    later.seat_two()
    for journaled in (hosted, later):
        play_on(journaled)
    seeds = [record.seed for record in hosted.journal.records]
    assert [record.seed for record in later.journal.records] == seeds
    begun = [one for one in hosted.journal.changes if isinstance(one, Begin)]
    assert (len(begun) > 1) == (games > 3)


def test_every_table_has_a_new_secret_even_if_its_number_is_reused() -> None:
    hosted = Hosted(tables="2")
    for _ in range(2):
        for who in ("ann", "bob", "cat"):
            hosted.ask(who, Join(who))
        for who in ("ann", "bob", "cat"):
            hosted.disconnect(who)
    secrets = [one.spec.seed for one in hosted.journal.changes if isinstance(one, Begin)]
    assert len(set(secrets)) == 4
