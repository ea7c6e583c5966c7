#!/usr/bin/perl
# A client for the door santorini-tournament: plays one tournament and prints the result of each of its games.
#
#   perl santorini_tournament.pl PORT NAME
#
# NAME has lower-case letters only. Start at least two of them, also under the same name. It checks that each board
# follows from the one before it, asks about a good and a bad move before each answer, compares the tournament-result
# with the games it has seen, and exits with 0; with 1 (and a line on stderr) if the server did what its page does not say.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use IO::Socket::INET;
use JSON::PP;
use santorini;

my ($port, $signed_up_as) = @ARGV;
die "usage: perl santorini_tournament.pl PORT NAME\n" unless defined $signed_up_as;

my $json = JSON::PP->new->canonical->ascii->allow_nonref;
my $socket = IO::Socket::INET->new(PeerAddr => '127.0.0.1', PeerPort => $port) or die "cannot connect: $@\n";
$socket->autoflush(1);

sub violation { print STDERR "$signed_up_as: VIOLATION: @_\n"; exit 1 }

sub send_message { print $socket $json->encode($_[0]), "\n" or violation('the connection broke') }

# The next message of the server as [kind, value]; nothing at the end of the stream.
sub receive {
    my $line = <$socket>;
    return unless defined $line;
    violation("not one line of ASCII without white space: $line") unless $line =~ /^[!-~]+\n\z/;
    my $value = eval { $json->decode($line) };
    violation("not JSON: $line") unless defined $value;
    return ['valid', $value ? 1 : 0] if JSON::PP::is_bool($value);
    if (ref $value eq 'ARRAY') {
        violation("an array that is no message: $line") unless @$value == 2;
        return ['result', $value] if ref $value->[0];
        return [$value->[0], board($value->[1])] if $value->[0] =~ /^(?:place|turn)\z/;
    }
    elsif (!ref $value) {
        return ['name', $value] if $value =~ /^[a-z]+\z/;
        return ['worker', $value] if $value =~ /^[a-z]+[12]\z/;
        return ['game-result', $value] if $value =~ /^(?:WINNER|LOSER|CHEATER)\z/;
    }
    violation("no message of the page: $line");
}

sub board { return eval { read_board($_[0], "[a-z]+") } || violation($@) }

sub direction { # columns first
    my ($from, $to) = @_;
    return [(qw(PUT EAST WEST))[ $to->[1] - $from->[1] ], (qw(PUT SOUTH NORTH))[ $to->[0] - $from->[0] ]];
}

sub check {     # ask whether a request is legal; the answer must be the one that I know
    my ($kind, $request, $expected) = @_;
    send_message([$kind, $request]);
    my $answer = receive() or violation('no answer to a check');
    violation("a check was answered with $answer->[0]") if $answer->[0] ne 'valid';
    violation($json->encode([$kind, $request]) . " is $answer->[1]") if $answer->[1] != $expected;
}

# --- The conversation. ---

send_message($signed_up_as);
my ($me, @seen, $result);                       # @seen: my games as "winner loser"
my ($opponent, $placed, $turns, $known);        # of the present game; $known: the board after my last answer

while (my $message = receive()) {
    my ($kind, $value) = @$message;
    violation("$kind after the tournament-result") if $result;
    if ($kind eq 'name' && !defined $me) {
        $me = $value;
        violation("$signed_up_as is called $me") unless $me =~ /^\Q$signed_up_as\E[a-z]*\z/;
    }
    elsif ($kind eq 'name') {
        violation("a game against $value within another, or against myself") if $opponent || $value eq $me;
        ($opponent, $placed, $turns, $known) = ($value, 0, 0, undef);
    }
    elsif ($kind eq 'place') {
        violation('placement-prompt out of order') if !$opponent || $placed == 2;
        my %mine = map { $_ => 1 } grep { /^${me}[12]\z/ } keys %{ $value->{w} };
        my @others = grep { !$mine{$_} } keys %{ $value->{w} };
        violation('workers on the board: ' . key($value)) if keys %mine != $placed || grep { !/^${opponent}[12]\z/ } @others;
        my @cells = map { my $r = $_; map { [$r, $_] } 0 .. 4 } 0 .. 4;
        my %taken = map { join(',', @$_) => 1 } values %{ $value->{w} };
        check('check-placement', $_, 0) for values %{ $value->{w} };
        my @free = grep { !$taken{"$_->[0],$_->[1]"} } @cells;
        my $cell = $free[rand @free];
        check('check-placement', $cell, 1);
        send_message($cell);
        my $worker = receive();
        $placed++;
        violation("a placement was not answered with $me$placed") if !$worker || "@$worker" ne "worker $me$placed";
        $value->{w}{"$me$placed"} = $cell;
        $known = $value;
    }
    elsif ($kind eq 'turn') {
        violation('turn-prompt out of order') if !$opponent || $placed != 2;
        my @before = map { after($known, $_) } turns($known, $opponent);    # before my first turn I know only my own workers
        violation('the board does not follow from the last one') if $turns && !grep { key($_) eq key($value) } @before;
        violation("my $_ is elsewhere") for grep { "@{$value->{w}{$_}}" ne "@{$known->{w}{$_}}" } "${me}1", "${me}2";
        my $turn = best($value, $me, $opponent) or violation('asked for a turn where none is legal');
        my ($worker, $from, $to, $build) = @$turn;
        my $request = [$worker, direction($from, $to), $build ? direction($to, $build) : ()];
        check('check-turn', $request, 1);
        check('check-turn', [$worker, ['PUT', 'PUT'], ['EAST', 'PUT']], 0);
        check('check-turn', [@$request[0, 1]], 0) if $build;
        send_message($request);
        $turns++;
        $known = after($value, $turn);
        $known->{won} = 1 if !$build || !turns($known, $opponent);
    }
    elsif ($kind eq 'game-result') {
        violation("$value without a game") unless $opponent;
        violation('I am called a cheater') if $value eq 'CHEATER';
        violation('I had won, and am called a loser') if $known && $known->{won} && $value eq 'LOSER';
        push @seen, $value eq 'WINNER' ? "$me $opponent" : "$opponent $me";
        printf "%s game %d against %s: %s, %d turns\n", $me, scalar @seen, $opponent, $value, $turns;
        $opponent = undef;
    }
    elsif ($kind eq 'result') {
        violation('the tournament ended within a game') if $opponent || !defined $me;
        my ($cheaters, $games) = @$value;
        $result = 1;
        my %out = map { $_ => 1 } @$cheaters;
        violation('I am among the cheaters') if $out{$me};
        # Games against those who are out count for me, also those I had lost.
        my @expected = map { my ($won, $lost) = split; $out{$won} ? "$lost $won" : "$won $lost" } @seen;
        my @listed = grep { / $me\z|^$me / } map { "@$_" } @$games;
        violation("I saw @expected; listed are @listed") if "@expected" ne "@listed";
        my (%players, %pairs, %won);
        for my $game (@$games) {
            violation('no winner and loser: ' . $json->encode($game)) unless @$game == 2 && $game->[0] ne $game->[1];
            $players{$_}++ for @$game;
            $pairs{ join ' ', sort @$game }++;
            $won{ $game->[0] }++;
        }
        if (!@$cheaters) {
            violation('not 3 games of every pair') if grep { $_ != 3 } values %pairs;
            violation('not every pair') if 2 * keys %pairs != keys(%players) * (keys(%players) - 1);
        }
        printf "%s: cheaters: %s; games won: %s\n", $me, join(' ', @$cheaters) || 'none',
            join ', ', map { "$_ " . ($won{$_} || 0) } sort keys %players;
    }
    else { violation("$kind out of order") }
}
violation('the connection ended without a tournament-result') unless $result;
