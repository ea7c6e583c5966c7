# The rules of Santorini, for the clients of both documents.
#
# A cell is [row, column], both from 0 at the north and the west edge. A position is
# {h => rows of heights, w => {worker => cell}}; a worker is its player's name and 1 or 2.
package santorini;
use strict;
use warnings;
use Exporter 'import';
our @EXPORT = qw(read_board key turns after best);

sub read_board {    # the position of a Board on the wire; dies if it is malformed
    my ($rows, $player_names) = @_;
    die "no board of 5 by 5 cells\n" unless ref $rows eq 'ARRAY' && @$rows == 5 && !grep { @$_ != 5 } @$rows;
    my %at = (h => [], w => {});
    for my $r (0 .. 4) {
        for my $c (0 .. 4) {
            $rows->[$r][$c] =~ /^([0-4])(${player_names}[12])?\z/ or die "malformed cell $rows->[$r][$c]\n";
            $at{h}[$r][$c] = $1;
            next unless $2;
            die "worker $2 stands twice\n" if $at{w}{$2};
            $at{w}{$2} = [$r, $c];
        }
    }
    return \%at;
}

sub key {           # a text that is the same for equal positions
    my ($at) = @_;
    return join '', map({ @$_ } @{ $at->{h} }), map { " $_@" . join ',', @{ $at->{w}{$_} } } sort keys %{ $at->{w} };
}

sub around {        # free cells around a cell, not domes; the worker $away does not count
    my ($at, $cell, $away) = @_;
    my %taken = map { join(',', @{ $at->{w}{$_} }) => 1 } grep { $_ ne $away } keys %{ $at->{w} };
    my @cells;
    for my $r ($cell->[0] - 1 .. $cell->[0] + 1) {
        for my $c ($cell->[1] - 1 .. $cell->[1] + 1) {
            next if $r < 0 || $c < 0 || $r > 4 || $c > 4 || ($r == $cell->[0] && $c == $cell->[1]);
            push @cells, [$r, $c] if !$taken{"$r,$c"} && $at->{h}[$r][$c] < 4;
        }
    }
    return @cells;
}

sub turns {         # all legal turns of a player: [worker, from, to, cell built on, or nothing if the move wins]
    my ($at, $player) = @_;
    my @turns;
    for my $worker (sort grep { /^${player}[12]\z/ } keys %{ $at->{w} }) {
        my $from = $at->{w}{$worker};
        my $height = $at->{h}[ $from->[0] ][ $from->[1] ];
        for my $to (around($at, $from, $worker)) {
            my $there = $at->{h}[ $to->[0] ][ $to->[1] ];
            next if $there > $height + 1;
            if ($there == 3) { push @turns, [$worker, $from, $to]; next }
            push @turns, [$worker, $from, $to, $_] for around($at, $to, $worker);
        }
    }
    return @turns;
}

sub after {         # the position after a turn
    my ($at, $turn) = @_;
    my ($worker, undef, $to, $build) = @$turn;
    my %new = (h => [map { [@$_] } @{ $at->{h} }], w => { %{ $at->{w} }, $worker => $to });
    $new{h}[ $build->[0] ][ $build->[1] ]++ if $build;
    return \%new;
}

sub best {          # wins if it can, does not let the opponent win at once, prefers high cells
    my ($at, $player, $opponent) = @_;
    my ($best, $most);
    for my $turn (turns($at, $player)) {
        return $turn unless $turn->[3];
        my $new = after($at, $turn);
        my $worth = rand() + 2 * $new->{h}[ $turn->[2][0] ][ $turn->[2][1] ];
        $worth -= 100 if grep { !$_->[3] } turns($new, $opponent);
        ($best, $most) = ($turn, $worth) if !defined $most || $worth > $most;
    }
    return $best;
}

1;
