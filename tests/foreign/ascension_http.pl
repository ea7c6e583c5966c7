#!/usr/bin/perl
# A client for the door ascension-http: plays one game of Ascension and prints who won.
#
#   perl ascension_http.pl PORT
#
# Start two of them. It plays its hand, activates its constructs, defeats what it can, buys the most expensive card it can pay
# for, ends its turn. It exits with 0 after the end, with 1 (and a line on stderr) if the server did what its page does
# not say, with 2 if two others are playing.
use strict;
use warnings;
use HTTP::Tiny;
use JSON::PP;
use Time::HiRes 'sleep';

my ($port) = @ARGV;
die "usage: perl ascension_http.pl PORT\n" unless $port;

my $json = JSON::PP->new->utf8;
my $http = HTTP::Tiny->new(keep_alive => 1, timeout => 60);
my $me = '?';

sub violation { print STDERR "player $me: VIOLATION: @_\n"; exit 1 }

# The cards of the page by kind and cost: what can be bought, and what can be defeated.
my (%price, %strength);
while (my $line = <DATA>) {
    my ($kind, $cost, $names) = $line =~ /^(\w+) (\d) (.+)$/ or next;
    ($kind eq 'monster' ? \%strength : \%price)->{$_} = $cost for split /; /, $names;
}

sub ask {
    my ($method, $path, $body) = @_;
    my %options = $body ? (content => $json->encode($body), headers => { 'Content-Type' => 'application/json' }) : ();
    my $answer = $http->request($method, "http://127.0.0.1:$port$path", \%options);
    violation("$method $path: status $answer->{status} $answer->{content}") if $answer->{status} != 200;
    my %head = %{ $answer->{headers} };
    violation("headers of $path") if $head{'content-type'} ne 'application/json' || $head{'cache-control'} ne 'no-store';
    my $value = eval { $json->decode($answer->{content}) };
    violation("not an object: $answer->{content}") unless ref $value eq 'HASH';
    return ($value, $head{'retry-after'});
}

# --- The state, and what the page says of it. ---

my %last = (turn => -1, status => 'not ready', pool => 1e9);

sub look {
    my ($state) = @_;
    my ($status, $board) = @$state{qw(status board)};
    violation("state without '$_'") for grep { !defined $state->{$_} } qw(player_count status error);
    my %order = ('not ready' => 0, playing => 1, ended => 2);
    violation("status $status after $last{status}") if ($order{$status} // -1) < $order{ $last{status} };
    violation("board, though $status") if !$board != ($status eq 'not ready');
    $last{status} = $status;
    return $state unless $board;
    my ($turn, $current, $pool) = @$board{qw(current_turn current_player_index honor_remaining)};
    violation("turn $turn after $last{turn}") if $turn < $last{turn};
    violation("pool $pool after $last{pool}") if $pool < 0 || $pool > $last{pool};
    @last{qw(turn pool)} = ($turn, $pool);
    violation("center of " . @{ $board->{center} }) if @{ $board->{center} } > 6;
    violation("cultist $board->{cultist}") if $board->{cultist} != 1;
    for my $i (0, 1) {
        my $player = $board->{players}[$i];
        violation("unknown card '$_'") for grep { !exists $price{$_} && !exists $strength{$_} }
            map { @$_ } @$player{qw(hand discard constructs)}, @$board{qw(center void)};
        next if $i == $current && $status eq 'playing';
        violation("runes or power of player $i") if $player->{runes_remaining} || $player->{power_remaining};
    }
    my $pending = $state->{pending} or return $state;
    violation('pending for another') if $pending->{player_index} != $current || !@{ $pending->{options} };
    return $state;
}

my @sent;   # my accepted moves, as they must be listed in players[i].moves

sub moves {
    my (@moves) = @_;
    my ($state) = ask('POST', '/moves', { player_index => $me, moves => \@moves });
    violation("refused: " . $json->encode(\@moves) . ": $state->{error}") if !defined $state->{error} || $state->{error} ne '';
    push @sent, map { join '|', $_->{type}, $_->{card_name} // '', $last{turn} } @moves;
    look($state);
    my $listed = join ' ', map { join '|', @$_{qw(type card_name turn)} } @{ $state->{board}{players}[$me]{moves} };
    violation("moves: listed $listed") if $listed ne "@sent";
    return $state;
}

sub act { my ($type, $card) = @_; return moves({ type => $type, card_name => $card }) }

# --- How it plays: one step of the own turn, and the state after it. ---

my (%activated, $activated_in);

sub most_expensive {   # the most expensive of the names that costs at most this much
    my ($costs, $money, @names) = @_;
    return (sort { $costs->{$b} <=> $costs->{$a} || $a cmp $b } grep { exists $costs->{$_} && $costs->{$_} <= $money } @names)[0];
}

sub step {
    my ($state) = @_;
    my $board = $state->{board};
    my $mine = $board->{players}[$me];
    (%activated, $activated_in) = () if ($activated_in // -1) != $board->{current_turn};
    $activated_in = $board->{current_turn};

    if (my $pending = $state->{pending}) {
        my @options = @{ $pending->{options} };
        my ($weak) = grep { /(?:Apprentice|Militia)$/ } @options;
        my %cost = map { my ($name) = /^(?:hand:|discard:)?(.*)$/; $_ => $price{$name} // $strength{$name} // 0 } @options;
        my $strong = most_expensive(\%cost, 99, @options);
        my $choice = $pending->{kind} =~ /^(?:banish|discard|destroy_construct)$/ ? $weak : $strong;
        $choice //= $pending->{optional} ? '' : $options[0];
        return act('choose', $choice);
    }
    my @simple = grep { /^(?:Apprentice|Militia)$/ } @{ $mine->{hand} };
    return moves(map { { type => 'play', card_name => $_ } } @simple) if @simple > 1;
    return act('play', $mine->{hand}[0]) if @{ $mine->{hand} };

    my %copies;
    for my $construct (@{ $mine->{constructs} }) {
        next if ++$copies{$construct} <= ($activated{$construct} // 0);
        $activated{$construct}++;
        return act('activate', $construct);
    }
    my $monster = most_expensive(\%strength, $mine->{power_remaining}, @{ $board->{center} }, 'Cultist');
    return act('defeat', $monster) if $monster;

    my @piles = (('Mystic') x !!$board->{mystics}, ('Heavy Infantry') x !!$board->{heavy});
    my $card = most_expensive(\%price, $mine->{runes_remaining}, @{ $board->{center} }, @piles);
    return act('acquire', $card) if $card;
    return moves({ type => 'end_turn' });
}

# --- The game. ---

my ($joined, $wait);
while (1) {
    ($joined, $wait) = ask('POST', '/join', {});
    last unless defined $joined->{error};
    if (!$wait) { print STDERR "cannot join: $joined->{error}\n"; exit 2 }
    sleep $wait;
}
$me = $joined->{player_index};
violation('player_index ' . ($me // 'missing')) unless defined $me && $me =~ /^[01]\z/;

my $state = look((ask('GET', '/state'))[0]);
while ($state->{status} ne 'ended') {
    if ($state->{status} eq 'playing' && $state->{board}{current_player_index} == $me) {
        $state = step($state);
        next;
    }
    sleep 0.05;
    $state = look((ask('GET', '/state'))[0]);
    violation("error while asking: $state->{error}") if $state->{error} ne '';
}

my $board = $state->{board};
my ($honor, $victor) = @$board{qw(final_honor victor)};
violation('no final_honor or victor') unless ref $honor eq 'ARRAY' && @$honor == 2 && defined $victor;
violation("victor $victor of @$honor") if $victor != ($honor->[0] > $honor->[1] ? 0 : 1);
violation("ended by player $board->{current_player_index}") if $board->{current_player_index} != 1;
violation("ended with $board->{honor_remaining} in the pool") if $board->{honor_remaining} && $board->{current_turn} < 999;
violation('final_honor less than honor') if grep { $honor->[$_] < $board->{players}[$_]{honor} } 0, 1;
printf "player %d %s: player %d won, final honor %d to %d, %d turns, %d moves of mine\n",
    $me, $victor == $me ? 'won' : 'lost', $victor, @$honor, $board->{current_turn} + 1, scalar @sent;

__DATA__
hero 0 Apprentice; Militia
hero 1 Arha Initiate; Lifebound Initiate; Mechana Initiate; Void Initiate
hero 2 Heavy Infantry; Seer of the Forked Path; Spike Vixen; Temple Librarian
hero 3 Kor, the Ferromancer; Mystic; Runic Lycanthrope; Shade of the Black Watch; Wolf Shaman
hero 4 Arbiter of the Precipice; Arha Templar; Avatar Golem; Demon Slayer; Druids of the Stone Circle; Reactor Monk; Twofold Askara
hero 5 Ascetic of the Lidless Eye; Flytrap Witch
hero 6 Emri, One with the Void; Landtalker; Oziah the Peerless
hero 7 Cetra, Weaver of Stars; Master Dhartha
construct 3 Burrower Mark II; Shadow Star
construct 4 Rocket Courier X-99; Yggdrasil Staff
construct 5 Snapdragon; Tablet of Time's Dawn; Voidthirster; Watchmaker's Altar
construct 6 The All-Seeing Eye; The Grand Design
construct 7 Hedron Link Device; Muramasa
construct 8 Hedron Cannon
monster 2 Cultist
monster 3 Mephit; Samael's Trickster; Tormented Soul
monster 4 Corrosive Widow; Mistake of Creation
monster 5 Sea Tyrant; Wind Tyrant
monster 6 Earth Tyrant; Xeron, Duke of Lies
monster 7 Avatar of the Fallen
