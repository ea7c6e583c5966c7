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
use FindBin;
use lib $FindBin::Bin;
use IO::Socket::INET;
use JSON::PP;
use santorini;

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

# --- Boards and turns on the wire, where a cell is [column, row]. ---

sub board { return eval { read_board($_[0], "[12]") } || violation($@) }

sub placement { return [reverse @{ $_[0] }] }

sub direction {
    my ($from, $to) = @_;
    return [(qw(Put South North))[ $to->[0] - $from->[0] ], (qw(Put East West))[ $to->[1] - $from->[1] ]];
}

sub written {   # the Turn, and whether the server will ask for the build
    my ($at, $turn) = @_;
    my ($worker, $from, $to, $build) = @$turn;
    my @move = (direction($from, $to));
    my @build = $build ? (direction($to, $build)) : ();
    if ($form eq 'destination') {
        # Only if the server would take the same worker: another one that could do the same comes second.
        my ($first) = grep { "@{$_->[2]} @{$_->[3] || []}" eq "@$to @{$build || []}" } turns($at, substr $worker, 0, 1);
        return ([placement($to), @build], 0) if $first->[0] eq $worker;
    }
    return ([placement($from), @move], !!$build) if $form eq 'origin';
    return ([placement($from), $form eq 'cells' ? placement($to) : @move, @build], 0);
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
        my $at = board($rest[0]);
        my $workers = join ' ', sort keys %{ $at->{w} };
        $me //= $workers eq '' ? 1 : 2;
        my $expected = $me == 1 ? ('', '11 21')[$placed] : ('11', '11 12 21')[$placed];
        violation("workers on the board: '$workers', not '$expected'") if $workers ne $expected;
        my %taken = map { join(',', @$_) => 1 } values %{ $at->{w} };
        my @free = grep { !$taken{"@{$_}[0],@{$_}[1]"} } map { my $x = $_; map { [$x, $_] } 0 .. 4 } 0 .. 4;
        my $cell = $free[rand @free];
        $at->{w}{ $me . ++$placed } = $cell;
        $known = $at;
        send_message(['give_placement', placement($cell)]);
    }
    elsif ($type eq 'get_turn') {
        violation('get_turn out of order') if !$playing || $placed != 2;
        my $at = board($rest[0]);
        if ($open_build) {
            violation('after the move of an origin turn: another board') if key($at) ne key($known);
            my ($to, $build) = @$open_build;
            $at->{h}[ $build->[0] ][ $build->[1] ]++;
            ($known, $open_build) = ($at, undef);
            send_message(['give_turn', [placement($to), direction($to, $build)]]);
            next;
        }
        if ($turns || $me == 2) {   # P1 has not seen the last placement before its first turn
            my @before = $turns ? map({ after($known, $_) } turns($known, 3 - $me)) : ($known);
            violation('the board does not follow from the last one') unless grep { key($_) eq key($at) } @before;
        }
        $turns++;
        my $turn = best($at, $me, 3 - $me) or violation('asked for a turn where none is legal');
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
        my $at = board($rest[0]);
        my ($owner) = grep { my $c = $at->{w}{$_}; $at->{h}[ $c->[0] ][ $c->[1] ] == 3 } keys %{ $at->{w} };
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
