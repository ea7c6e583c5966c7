#!/usr/bin/perl
# A client for the door santorini-lobby: plays one tournament and prints what it has seen of each game.
#
#   perl santorini_lobby.pl PORT NAME [FORM]
#
# FORM is how it writes its turns: destination, origin, moves or cells (the two explicit forms); random if left out.
# Start at least two of them. It asks for the board, checks that each board follows from the one before it, and
# exits with 0 at the end of the tournament, with 1 (and a line on stderr) if the server did what its page does not say.
use strict;
use warnings;
use IO::Socket::INET;
use JSON::PP;

my ($port, $name, $form) = @ARGV;
die "usage: perl santorini_lobby.pl PORT NAME [FORM]\n" unless defined $name;
$form ||= (qw(destination origin moves cells))[rand 4];

my $json = JSON::PP->new->canonical->ascii->allow_nonref;
my $socket = IO::Socket::INET->new(PeerAddr => '127.0.0.1', PeerPort => $port) or die "cannot connect: $@\n";
$socket->autoflush(1);

sub violation { print STDERR "$name: VIOLATION: @_\n"; exit 1 }

sub send_message { print $socket $json->encode($_[0]), "\n" or violation('the connection broke') }

# The next message of the server, or nothing at the end of the stream.
sub receive {
    my $line = <$socket>;
    return unless defined $line;
    violation("not one line of ASCII without white space: $line") unless $line =~ /^[!-~]+\n\z/;
    my $message = eval { $json->decode($line) };
    violation("not an array: $line") unless ref $message eq 'ARRAY' && @$message && !ref $message->[0];
    return $message;
}

# --- The board. A position: {h => rows of heights, w => {"11" => [x, y], ...}}, keyed by player and worker. ---

sub read_board {
    my ($rows) = @_;
    violation('no board of 5 by 5 cells') unless ref $rows eq 'ARRAY' && @$rows == 5 && !grep { @$_ != 5 } @$rows;
    my %at = (h => [], w => {});
    for my $y (0 .. 4) {
        for my $x (0 .. 4) {
            $rows->[$y][$x] =~ /^([0-4])([12][12])?\z/ or violation("malformed cell $rows->[$y][$x]");
            $at{h}[$y][$x] = $1;
            next unless $2;
            violation("worker $2 stands twice") if $at{w}{$2};
            $at{w}{$2} = [$x, $y];
        }
    }
    return \%at;
}

sub key {
    my ($at) = @_;
    return join '', map({ @$_ } @{ $at->{h} }), map { " $_@" . join ',', @{ $at->{w}{$_} } } sort keys %{ $at->{w} };
}

sub around {    # free cells around a cell, not domes; the worker $away does not count
    my ($at, $cell, $away) = @_;
    my %taken = map { join(',', @{ $at->{w}{$_} }) => 1 } grep { $_ ne $away } keys %{ $at->{w} };
    my @cells;
    for my $y ($cell->[1] - 1 .. $cell->[1] + 1) {
        for my $x ($cell->[0] - 1 .. $cell->[0] + 1) {
            next if $x < 0 || $y < 0 || $x > 4 || $y > 4 || ($x == $cell->[0] && $y == $cell->[1]);
            push @cells, [$x, $y] if !$taken{"$x,$y"} && $at->{h}[$y][$x] < 4;
        }
    }
    return @cells;
}

sub turns {     # all legal turns of a player: [worker, from, to, cell built on, or nothing if the move wins]
    my ($at, $player) = @_;
    my @turns;
    for my $worker (sort grep { /^$player/ } keys %{ $at->{w} }) {
        my $from = $at->{w}{$worker};
        my $height = $at->{h}[ $from->[1] ][ $from->[0] ];
        for my $to (around($at, $from, $worker)) {
            my $there = $at->{h}[ $to->[1] ][ $to->[0] ];
            next if $there > $height + 1;
            if ($there == 3) { push @turns, [$worker, $from, $to]; next }
            push @turns, [$worker, $from, $to, $_] for around($at, $to, $worker);
        }
    }
    return @turns;
}

sub after {
    my ($at, $turn) = @_;
    my ($worker, undef, $to, $build) = @$turn;
    my %new = (h => [map { [@$_] } @{ $at->{h} }], w => { %{ $at->{w} }, $worker => $to });
    $new{h}[ $build->[1] ][ $build->[0] ]++ if $build;
    return \%new;
}

sub best {      # wins if it can, does not let the opponent win at once, prefers high cells
    my ($at, $player) = @_;
    my ($best, $most);
    for my $turn (turns($at, $player)) {
        return $turn unless $turn->[3];
        my $new = after($at, $turn);
        my $worth = rand() + 2 * $new->{h}[ $turn->[2][1] ][ $turn->[2][0] ];
        $worth -= 100 if grep { !$_->[3] } turns($new, 3 - $player);
        ($best, $most) = ($turn, $worth) if !defined $most || $worth > $most;
    }
    return $best;
}

# --- How turns are written. ---

sub direction {
    my ($from, $to) = @_;
    return [(qw(Put South North))[ $to->[1] - $from->[1] ], (qw(Put East West))[ $to->[0] - $from->[0] ]];
}

sub written {   # the Turn, and whether the server will ask for the build
    my ($at, $turn) = @_;
    my ($worker, $from, $to, $build) = @$turn;
    my @move = (direction($from, $to));
    my @build = $build ? (direction($to, $build)) : ();
    if ($form eq 'destination') {
        # Only if the server would take the same worker: another one that could do the same comes second.
        my ($first) = grep { "@{$_->[2]} @{$_->[3] || []}" eq "@$to @{$build || []}" } turns($at, substr $worker, 0, 1);
        return ([$to, @build], 0) if $first->[0] eq $worker;
    }
    return ([$from, @move], !!$build) if $form eq 'origin';
    return ([$from, $form eq 'cells' ? $to : @move, @build], 0);
}

# --- The conversation. ---

send_message(['join', $name, { board => JSON::PP::true }]);
my ($id, $games, %tally) = (undef, 0);
my ($playing, $me, $placed, $turns, $known, $open_build);   # of the present game; $known: after my last answer

while (my $message = receive()) {
    my ($type, @rest) = @$message;
    my $elements = { keepalive => 0, start_of_game => 0 }->{$type} // 1;
    violation('number of elements: ' . $json->encode($message)) if @rest != $elements;
    if ($type eq 'keepalive') {
        violation('keepalive after set_id') if defined $id;
        send_message(['stillalive']);
    }
    elsif ($type eq 'set_id') {
        violation('a second set_id') if defined $id;
        $id = $rest[0];
        violation("no UUID: $id") unless $id =~ /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}\z/;
    }
    elsif ($type eq 'start_of_game') {
        violation('start_of_game too early') if !defined $id || $playing;
        ($playing, $me, $placed, $turns, $known, $open_build) = (1, undef, 0, 0, undef, undef);
    }
    elsif ($type eq 'get_placement') {
        violation('get_placement out of order') if !$playing || $placed == 2;
        my $at = read_board($rest[0]);
        my $workers = join ' ', sort keys %{ $at->{w} };
        $me //= $workers eq '' ? 1 : 2;
        my $expected = $me == 1 ? ('', '11 21')[$placed] : ('11', '11 12 21')[$placed];
        violation("workers on the board: '$workers', not '$expected'") if $workers ne $expected;
        my %taken = map { join(',', @$_) => 1 } values %{ $at->{w} };
        my @free = grep { !$taken{"@{$_}[0],@{$_}[1]"} } map { my $x = $_; map { [$x, $_] } 0 .. 4 } 0 .. 4;
        my $cell = $free[rand @free];
        $at->{w}{ $me . ++$placed } = $cell;
        $known = $at;
        send_message(['give_placement', $cell]);
    }
    elsif ($type eq 'get_turn') {
        violation('get_turn out of order') if !$playing || $placed != 2;
        my $at = read_board($rest[0]);
        if ($open_build) {
            violation('after the move of an origin turn: another board') if key($at) ne key($known);
            my ($to, $build) = @$open_build;
            $at->{h}[ $build->[1] ][ $build->[0] ]++;
            ($known, $open_build) = ($at, undef);
            send_message(['give_turn', [$to, direction($to, $build)]]);
            next;
        }
        if ($turns || $me == 2) {   # P1 has not seen the last placement before its first turn
            my @before = $turns ? map({ after($known, $_) } turns($known, 3 - $me)) : ($known);
            violation('the board does not follow from the last one') unless grep { key($_) eq key($at) } @before;
        }
        $turns++;
        my $turn = best($at, $me) or violation('asked for a turn where none is legal');
        my ($written, $ask) = written($at, $turn);
        if ($ask) {
            $known = after($at, [@$turn[0 .. 2]]);
            $open_build = [@$turn[2, 3]];
        }
        else { $known = after($at, $turn) }
        send_message(['give_turn', $written]);
    }
    elsif ($type eq 'end_of_game') {
        violation('end_of_game out of order') unless $playing;
        my $at = read_board($rest[0]);
        my ($owner) = grep { my $c = $at->{w}{$_}; $at->{h}[ $c->[1] ][ $c->[0] ] == 3 } keys %{ $at->{w} };
        my $result = 'ended, opponent or I disqualified';
        if ($owner) { $result = $owner =~ /^$me/ ? 'won' : 'lost' }
        elsif ($turns && key($at) eq key($known)) { $result = 'won, opponent cannot move' unless turns($at, 3 - $me) }
        elsif ($me && $placed == 2 && !turns($at, $me)) { $result = 'lost, I cannot move' }
        if ($turns && key($at) ne key($known)) {
            violation('the last board does not follow') unless grep { key(after($known, $_)) eq key($at) } turns($known, 3 - $me);
        }
        printf "%s (%s) game %d as P%s: %s, %d turns\n", $name, $form, ++$games, $me // '?', $result, $turns;
        $tally{ (split /,/, $result)[0] }++;
        $playing = 0;
    }
    else { violation("unknown message $type") }
}
violation('the connection ended within a game') if $playing;
violation('the connection ended before a tournament') unless $games;
printf "%s: %d games, %s\n", $name, $games, join ', ', map { "$tally{$_} $_" } sort keys %tally;
