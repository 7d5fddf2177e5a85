;; Moving median over time of x and y at once (docs/signal.md, step 6); `movingMedian` in median.ts says the same in ten
;; lines, and tests hold the two equal to the last bit. Built into median-wasm.ts by scripts/build-wasm.mjs.
;;
;; Windows of up to 64 points: a sorted window, x and y in the two lanes of its vectors. One pass of minima and maxima takes
;; a point out and puts another in, without a branch that could be guessed wrong.
;; Wider ones: median filtering is sorting (Suomela 2014, doi 10.48550/arXiv.1406.1717). A block of points is sorted once;
;; then the window is a set of ranks, one bit each, and the median moves from bit to bit, a few steps a point.
;; What is short and hot is written out where it is used: V8 does not inline functions of WebAssembly here.
(module
  (memory (import "gazette" "memory") 1)

  ;; Byte offsets of columns: times, raw (x, y) pairs, medians.
  (global $t (mut i32) (i32.const 0))
  (global $raw (mut i32) (i32.const 0))
  (global $xOut (mut i32) (i32.const 0))
  (global $yOut (mut i32) (i32.const 0))
  (global $range (mut f64) (f64.const 0))
  ;; Scratch: a window of 72 pairs, 2048 counts of digits, and for each point of a block keys to sort, room to sort them in,
  ;; sorted values and ranks of either axis, and two bits.
  (global $window (mut i32) (i32.const 0))
  (global $counts (mut i32) (i32.const 0))
  (global $xKeys (mut i32) (i32.const 0))
  (global $yKeys (mut i32) (i32.const 0))
  (global $spare (mut i32) (i32.const 0))
  (global $xSorted (mut i32) (i32.const 0))
  (global $ySorted (mut i32) (i32.const 0))
  (global $xRanks (mut i32) (i32.const 0))
  (global $yRanks (mut i32) (i32.const 0))
  (global $xBits (mut i32) (i32.const 0))
  (global $yBits (mut i32) (i32.const 0))
  (global $room (mut i32) (i32.const 0))

  ;; Tells where the columns begin, and where scratch of room for so many points (a multiple of 64) does.
  (func (export "bind") (param $tAt i32) (param $rawAt i32) (param $xAt i32) (param $yAt i32) (param $scratchAt i32)
    (param $points i32)
    (local $eight i32) (local $four i32)
    (global.set $t (local.get $tAt))
    (global.set $raw (local.get $rawAt))
    (global.set $xOut (local.get $xAt))
    (global.set $yOut (local.get $yAt))
    (global.set $room (local.get $points))
    (local.set $eight (i32.shl (local.get $points) (i32.const 3)))
    (local.set $four (i32.shl (local.get $points) (i32.const 2)))
    (global.set $window (local.get $scratchAt))
    (global.set $counts (i32.add (global.get $window) (i32.const 1152)))
    (global.set $xKeys (i32.add (global.get $counts) (i32.const 8192)))
    (global.set $yKeys (i32.add (global.get $xKeys) (local.get $eight)))
    (global.set $spare (i32.add (global.get $yKeys) (local.get $eight)))
    (global.set $xSorted (i32.add (global.get $spare) (local.get $eight)))
    (global.set $ySorted (i32.add (global.get $xSorted) (local.get $eight)))
    (global.set $xRanks (i32.add (global.get $ySorted) (local.get $eight)))
    (global.set $yRanks (i32.add (global.get $xRanks) (local.get $four)))
    (global.set $xBits (i32.add (global.get $yRanks) (local.get $four)))
    (global.set $yBits (i32.add (global.get $xBits) (i32.add (i32.shr_u (local.get $points) (i32.const 3)) (i32.const 16)))))

  ;; Medians of the segment [from, to) with windows of R = range µs. Goes on at point i, and returns the next point to go
  ;; on at: `to` when done; another one when its window needs scratch of more room than there is.
  (func (export "movingMedians") (param $from i32) (param $i i32) (param $to i32) (param $rangeUs f64) (result i32)
    (local $next i32)
    (global.set $range (local.get $rangeUs))
    (loop $blocks
      (local.set $i (call $narrow (local.get $from) (local.get $i) (local.get $to)))
      (if (i32.lt_s (local.get $i) (local.get $to))
        (then
          (local.set $next (call $wide (local.get $from) (local.get $i) (local.get $to)))
          (if (i32.gt_s (local.get $next) (local.get $i))
            (then
              (local.set $i (local.get $next))
              (br_if $blocks (i32.lt_s (local.get $i) (local.get $to))))))))
    (local.get $i))

  (func $time (param $i i32) (result f64)
    (f64.load (i32.add (global.get $t) (i32.shl (local.get $i) (i32.const 3)))))

  ;; Whether two points share a window.
  (func $near (param $earlier i32) (param $later i32) (result i32)
    (f64.le
      (f64.mul (f64.const 2) (f64.sub (call $time (local.get $later)) (call $time (local.get $earlier))))
      (global.get $range)))

  ;; The first point of the window of point i.
  (func $firstOf (param $i i32) (param $from i32) (result i32)
    (local $first i32)
    (local.set $first (local.get $i))
    (block $found
      (loop $back
        (br_if $found (i32.eq (local.get $first) (local.get $from)))
        (br_if $found (i32.eqz (call $near (i32.sub (local.get $first) (i32.const 1)) (local.get $i))))
        (local.set $first (i32.sub (local.get $first) (i32.const 1)))
        (br $back)))
    (local.get $first))

  ;; Medians from point i on until `to`, or until a window holds more than 64 points. Returns where it stopped.
  (func $narrow (param $from i32) (param $i i32) (param $to i32) (result i32)
    (local $first i32) (local $next i32)
    (local $now f64) (local $tFirst f64) (local $tNext f64) ;; the latter infinite where no point is left
    (local $range f64) (local $enters i32) (local $leaves i32)
    (local $window i32) (local $end i32) (local $at i32) ;; addresses; infinities stand in the window from `end` on
    (local $value v128) (local $gone v128) (local $here v128) (local $behind v128) (local $kept v128) (local $before v128)
    (local.set $range (global.get $range))
    (local.set $window (global.get $window))
    (local.set $end (i32.add (local.get $window) (i32.const 1152)))
    (loop $clear
      (local.set $end (i32.sub (local.get $end) (i32.const 16)))
      (v128.store (local.get $end) (v128.const f64x2 inf inf))
      (br_if $clear (i32.gt_u (local.get $end) (local.get $window))))
    (local.set $first (call $firstOf (local.get $i) (local.get $from)))
    (local.set $next (local.get $first))
    (local.set $tFirst (call $time (local.get $first)))
    (local.set $tNext (local.get $tFirst))
    (loop $points
      (local.set $now (f64.load (i32.add (global.get $t) (i32.shl (local.get $i) (i32.const 3)))))
      (loop $moves
        (local.set $enters
          (f64.le (f64.mul (f64.const 2) (f64.sub (local.get $tNext) (local.get $now))) (local.get $range)))
        (local.set $leaves
          (f64.gt (f64.mul (f64.const 2) (f64.sub (local.get $now) (local.get $tFirst))) (local.get $range)))
        (local.set $at (local.get $window))
        (if (local.get $enters)
          (then
            (local.set $value (v128.load (i32.add (global.get $raw) (i32.shl (local.get $next) (i32.const 4)))))
            (local.set $next (i32.add (local.get $next) (i32.const 1)))
            (local.set $tNext
              (if (result f64) (i32.lt_s (local.get $next) (local.get $to))
                (then (f64.load (i32.add (global.get $t) (i32.shl (local.get $next) (i32.const 3)))))
                (else (f64.const inf))))
            (local.set $before (v128.const f64x2 -inf -inf))
            (local.set $here (v128.load (local.get $at)))
            (if (local.get $leaves)
              (then
                ;; One out, one in. Values from `gone` on move down a place (where the mask makes NaN, pmin takes the one
                ;; behind); those above the new value move up again. Infinities stay where they are.
                (local.set $gone (v128.load (i32.add (global.get $raw) (i32.shl (local.get $first) (i32.const 4)))))
                (local.set $first (i32.add (local.get $first) (i32.const 1)))
                (local.set $tFirst (f64.load (i32.add (global.get $t) (i32.shl (local.get $first) (i32.const 3)))))
                (loop $replace
                  (local.set $behind (v128.load offset=16 (local.get $at)))
                  (local.set $kept
                    (f64x2.pmin (local.get $behind) (v128.or (local.get $here) (f64x2.ge (local.get $here) (local.get $gone)))))
                  (v128.store
                    (local.get $at)
                    (f64x2.pmax (local.get $before) (f64x2.pmin (local.get $kept) (local.get $value))))
                  (local.set $before (local.get $kept))
                  (local.set $here (local.get $behind))
                  (local.set $at (i32.add (local.get $at) (i32.const 16)))
                  (br_if $replace (i32.lt_u (local.get $at) (local.get $end)))))
              (else
                (if (i32.eq (i32.sub (local.get $end) (local.get $window)) (i32.const 1024))
                  (then (return (local.get $i))))
                (local.set $end (i32.add (local.get $end) (i32.const 16)))
                (loop $insert
                  (v128.store
                    (local.get $at)
                    (f64x2.pmax (local.get $before) (f64x2.pmin (local.get $here) (local.get $value))))
                  (local.set $before (local.get $here))
                  (local.set $here (v128.load offset=16 (local.get $at)))
                  (local.set $at (i32.add (local.get $at) (i32.const 16)))
                  (br_if $insert (i32.lt_u (local.get $at) (local.get $end))))))
            (br $moves)))
        (if (local.get $leaves)
          (then
            (local.set $gone (v128.load (i32.add (global.get $raw) (i32.shl (local.get $first) (i32.const 4)))))
            (local.set $first (i32.add (local.get $first) (i32.const 1)))
            (local.set $tFirst (f64.load (i32.add (global.get $t) (i32.shl (local.get $first) (i32.const 3)))))
            (loop $remove
              (local.set $here (v128.load (local.get $at)))
              (v128.store
                (local.get $at)
                (f64x2.pmin
                  (v128.load offset=16 (local.get $at))
                  (v128.or (local.get $here) (f64x2.ge (local.get $here) (local.get $gone)))))
              (local.set $at (i32.add (local.get $at) (i32.const 16)))
              (br_if $remove (i32.lt_u (local.get $at) (local.get $end))))
            (local.set $end (i32.sub (local.get $end) (i32.const 16)))
            (br $moves))))
      ;; The mean of the middle two, which are one and the same where the count is odd: (a + a) / 2 is a.
      (local.set $at (i32.sub (local.get $end) (local.get $window)))
      (local.set $value
        (f64x2.mul
          (v128.const f64x2 0.5 0.5)
          (f64x2.add
            (v128.load
              (i32.add
                (local.get $window)
                (i32.and (i32.shr_u (i32.sub (local.get $at) (i32.const 16)) (i32.const 1)) (i32.const -16))))
            (v128.load
              (i32.add (local.get $window) (i32.and (i32.shr_u (local.get $at) (i32.const 1)) (i32.const -16)))))))
      (local.set $at (i32.shl (local.get $i) (i32.const 3)))
      (v128.store64_lane 0 (i32.add (global.get $xOut) (local.get $at)) (local.get $value))
      (v128.store64_lane 1 (i32.add (global.get $yOut) (local.get $at)) (local.get $value))
      (local.set $i (i32.add (local.get $i) (i32.const 1)))
      (br_if $points (i32.lt_s (local.get $i) (local.get $to))))
    (local.get $i))

  ;; Medians from point i on for a block of at least four windows. Returns where it stopped: at i without room.
  (func $wide (param $from i32) (param $i i32) (param $to i32) (result i32)
    (local $first i32) (local $end i32) (local $n i32)
    (local.set $first (call $firstOf (local.get $i) (local.get $from)))
    (local.set $end (local.get $i))
    (loop $ahead
      (local.set $end (i32.add (local.get $end) (i32.const 1)))
      (if (i32.lt_s (local.get $end) (local.get $to))
        (then (br_if $ahead (call $near (local.get $i) (local.get $end))))))
    (local.set $n (i32.shl (i32.sub (local.get $end) (local.get $first)) (i32.const 2)))
    (if (i32.lt_s (local.get $n) (i32.const 8192)) (then (local.set $n (i32.const 8192))))
    (if (i32.gt_s (local.get $n) (i32.sub (local.get $to) (local.get $first)))
      (then (local.set $n (i32.sub (local.get $to) (local.get $first)))))
    (if (i32.gt_s (local.get $n) (global.get $room)) (then (return (local.get $i))))
    (call $makeKeys (local.get $first) (local.get $n))
    (local.set $end (i32.add (global.get $raw) (i32.shl (local.get $first) (i32.const 4))))
    (call $rank (local.get $end) (local.get $n) (global.get $xKeys) (global.get $xSorted) (global.get $xRanks))
    (call $rank
      (i32.add (local.get $end) (i32.const 8))
      (local.get $n) (global.get $yKeys) (global.get $ySorted) (global.get $yRanks))
    (call $slide (local.get $first) (local.get $i) (i32.add (local.get $first) (local.get $n)) (local.get $to)))

  ;; For n points from `first` on: 22 bits for where the value lies between the least and the greatest, and above the number
  ;; of the point in the block.
  (func $makeKeys (param $first i32) (param $n i32)
    (local $at i32) (local $end i32) (local $j i64) (local $key i32) (local $value v128)
    (local $min v128) (local $max v128) (local $scale v128)
    (local.set $at (i32.add (global.get $raw) (i32.shl (local.get $first) (i32.const 4))))
    (local.set $end (i32.add (local.get $at) (i32.shl (local.get $n) (i32.const 4))))
    (local.set $min (v128.load (local.get $at)))
    (local.set $max (local.get $min))
    (loop $values
      (local.set $value (v128.load (local.get $at)))
      (local.set $min (f64x2.pmin (local.get $min) (local.get $value)))
      (local.set $max (f64x2.pmax (local.get $max) (local.get $value)))
      (local.set $at (i32.add (local.get $at) (i32.const 16)))
      (br_if $values (i32.lt_u (local.get $at) (local.get $end))))
    ;; Infinite where all values are the same: then infinity times 0 is NaN, and its key 0.
    (local.set $scale
      (f64x2.div (v128.const f64x2 4194303 4194303) (f64x2.sub (local.get $max) (local.get $min))))
    (local.set $at (i32.add (global.get $raw) (i32.shl (local.get $first) (i32.const 4))))
    (local.set $key (i32.const 0))
    (loop $keys
      (local.set $value
        (i32x4.trunc_sat_f64x2_u_zero
          (f64x2.mul (f64x2.sub (v128.load (local.get $at)) (local.get $min)) (local.get $scale))))
      (i64.store
        (i32.add (global.get $xKeys) (local.get $key))
        (i64.or
          (i64.shl (i64.extend_i32_u (i32x4.extract_lane 0 (local.get $value))) (i64.const 32))
          (local.get $j)))
      (i64.store
        (i32.add (global.get $yKeys) (local.get $key))
        (i64.or
          (i64.shl (i64.extend_i32_u (i32x4.extract_lane 1 (local.get $value))) (i64.const 32))
          (local.get $j)))
      (local.set $j (i64.add (local.get $j) (i64.const 1)))
      (local.set $key (i32.add (local.get $key) (i32.const 8)))
      (local.set $at (i32.add (local.get $at) (i32.const 16)))
      (br_if $keys (i32.lt_u (local.get $at) (local.get $end)))))

  ;; Sorts one axis of n points, whose values stand 16 bytes apart from `base` on: fills `sorted`, and each point's rank.
  ;; Values are sorted by their keys, and then put right where keys were equal. Where that is much work, since a far value
  ;; squeezes all others into a few keys, they are sorted by all their bits.
  (func $rank (param $base i32) (param $n i32) (param $keys i32) (param $sorted i32) (param $ranks i32)
    (call $sortByDigit (local.get $keys) (global.get $spare) (local.get $n) (i64.const 32))
    (call $sortByDigit (global.get $spare) (local.get $keys) (local.get $n) (i64.const 43))
    (if (i32.eqz (call $putRight (local.get $base) (local.get $n) (local.get $keys) (local.get $sorted)))
      (then
        (call $sortThoroughly (local.get $base) (local.get $n) (local.get $keys))
        (drop (call $putRight (local.get $base) (local.get $n) (local.get $keys) (local.get $sorted)))))
    (call $invert (local.get $keys) (local.get $n) (local.get $ranks)))

  ;; An insertion sort of values that are nearly sorted. Gives up, with 0, after eight moves a value.
  (func $putRight (param $base i32) (param $n i32) (param $keys i32) (param $sorted i32) (result i32)
    (local $at i32) (local $place i32) (local $end i32) (local $moves i32)
    (local $index i32) (local $value f64) (local $last f64)
    (local.set $last (f64.const -inf))
    (local.set $end (i32.shl (local.get $n) (i32.const 3)))
    (loop $values
      (local.set $index (i32.load (i32.add (local.get $keys) (local.get $at))))
      (local.set $value (f64.load (i32.add (local.get $base) (i32.shl (local.get $index) (i32.const 4)))))
      (local.set $place (local.get $at))
      (if (f64.gt (local.get $last) (local.get $value))
        (then
          (block $placed
            (loop $down
              (f64.store
                (i32.add (local.get $sorted) (local.get $place))
                (f64.load (i32.sub (i32.add (local.get $sorted) (local.get $place)) (i32.const 8))))
              (i32.store
                (i32.add (local.get $keys) (local.get $place))
                (i32.load (i32.sub (i32.add (local.get $keys) (local.get $place)) (i32.const 8))))
              (local.set $place (i32.sub (local.get $place) (i32.const 8)))
              (local.set $moves (i32.add (local.get $moves) (i32.const 1)))
              (br_if $placed (i32.eqz (local.get $place)))
              (br_if $down
                (f64.gt
                  (f64.load (i32.sub (i32.add (local.get $sorted) (local.get $place)) (i32.const 8)))
                  (local.get $value)))))
          (i32.store (i32.add (local.get $keys) (local.get $place)) (local.get $index))
          (if (i32.gt_u (local.get $moves) (local.get $end)) (then (return (i32.const 0)))))
        (else (local.set $last (local.get $value))))
      (f64.store (i32.add (local.get $sorted) (local.get $place)) (local.get $value))
      (local.set $at (i32.add (local.get $at) (i32.const 8)))
      (br_if $values (i32.lt_u (local.get $at) (local.get $end))))
    (i32.const 1))

  ;; From the point of each rank to the rank of each point.
  (func $invert (param $keys i32) (param $n i32) (param $ranks i32)
    (local $rank i32)
    (loop $points
      (i32.store
        (i32.add
          (local.get $ranks)
          (i32.shl (i32.load (i32.add (local.get $keys) (i32.shl (local.get $rank) (i32.const 3)))) (i32.const 2)))
        (local.get $rank))
      (local.set $rank (i32.add (local.get $rank) (i32.const 1)))
      (br_if $points (i32.lt_u (local.get $rank) (local.get $n)))))

  ;; Sorts the numbers of points by all bits of their values: by the lower halves, and then by the upper ones.
  (func $sortThoroughly (param $base i32) (param $n i32) (param $keys i32)
    (local $half i32)
    (loop $halves
      (call $takeHalf (local.get $base) (local.get $n) (local.get $keys) (local.get $half))
      (call $sortByDigit (local.get $keys) (global.get $spare) (local.get $n) (i64.const 32))
      (call $sortByDigit (global.get $spare) (local.get $keys) (local.get $n) (i64.const 43))
      (call $sortByDigit (local.get $keys) (global.get $spare) (local.get $n) (i64.const 54))
      (memory.copy (local.get $keys) (global.get $spare) (i32.shl (local.get $n) (i32.const 3)))
      (local.set $half (i32.add (local.get $half) (i32.const 1)))
      (br_if $halves (i32.lt_u (local.get $half) (i32.const 2)))))

  ;; Puts above each number in `keys` the lower (0) or upper (1) 32 bits of its value, as a whole number that sorts like it.
  (func $takeHalf (param $base i32) (param $n i32) (param $keys i32) (param $half i32)
    (local $end i32) (local $bits i64)
    (local.set $end (i32.add (local.get $keys) (i32.shl (local.get $n) (i32.const 3))))
    (loop $values
      (local.set $bits
        (i64.load (i32.add (local.get $base) (i32.shl (i32.load (local.get $keys)) (i32.const 4)))))
      (local.set $bits
        (i64.xor
          (local.get $bits)
          (i64.or (i64.shr_s (local.get $bits) (i64.const 63)) (i64.const 0x8000000000000000))))
      (i32.store offset=4
        (local.get $keys)
        (i32.wrap_i64
          (i64.shr_u (local.get $bits) (i64.extend_i32_u (i32.shl (local.get $half) (i32.const 5))))))
      (local.set $keys (i32.add (local.get $keys) (i32.const 8)))
      (br_if $values (i32.lt_u (local.get $keys) (local.get $end)))))

  ;; One counting sort of n keys by their eleven bits from `shift` on; equal ones keep their order.
  (func $sortByDigit (param $source i32) (param $target i32) (param $n i32) (param $shift i64)
    (local $counts i32) (local $end i32) (local $from i32) (local $at i32) (local $place i32) (local $count i32)
    (local $key i64)
    (local.set $counts (global.get $counts))
    (memory.fill (local.get $counts) (i32.const 0) (i32.const 8192))
    (local.set $end (i32.add (local.get $source) (i32.shl (local.get $n) (i32.const 3))))
    (local.set $from (local.get $source))
    (loop $count
      (local.set $at
        (i32.add
          (local.get $counts)
          (i32.shl
            (i32.and (i32.wrap_i64 (i64.shr_u (i64.load (local.get $from)) (local.get $shift))) (i32.const 2047))
            (i32.const 2))))
      (i32.store (local.get $at) (i32.add (i32.load (local.get $at)) (i32.const 1)))
      (local.set $from (i32.add (local.get $from) (i32.const 8)))
      (br_if $count (i32.lt_u (local.get $from) (local.get $end))))
    (local.set $place (local.get $target))
    (local.set $at (i32.const 0))
    (loop $places
      (local.set $count (i32.load (i32.add (local.get $counts) (local.get $at))))
      (i32.store (i32.add (local.get $counts) (local.get $at)) (local.get $place))
      (local.set $place (i32.add (local.get $place) (i32.shl (local.get $count) (i32.const 3))))
      (local.set $at (i32.add (local.get $at) (i32.const 4)))
      (br_if $places (i32.lt_u (local.get $at) (i32.const 8192))))
    (local.set $from (local.get $source))
    (loop $move
      (local.set $key (i64.load (local.get $from)))
      (local.set $at
        (i32.add
          (local.get $counts)
          (i32.shl
            (i32.and (i32.wrap_i64 (i64.shr_u (local.get $key) (local.get $shift))) (i32.const 2047))
            (i32.const 2))))
      (local.set $place (i32.load (local.get $at)))
      (i64.store (local.get $place) (local.get $key))
      (i32.store (local.get $at) (i32.add (local.get $place) (i32.const 8)))
      (local.set $from (i32.add (local.get $from) (i32.const 8)))
      (br_if $move (i32.lt_u (local.get $from) (local.get $end)))))

  ;; Medians from point i on until a window reaches beyond `end`, where the block's ranked points end. Returns where it
  ;; stopped. For either axis `below` counts the points of the window whose rank is less than `rank`, and `rank` moves until
  ;; those are half of the window: then it is the lower one of the middle two.
  (func $slide (param $start i32) (param $i i32) (param $end i32) (param $to i32) (result i32)
    (local $first i32) (local $next i32) (local $now f64) (local $range f64) (local $t i32)
    (local $count i32) (local $half i32) (local $at i32) (local $r i32) (local $upper i32)
    (local $xBelow i32) (local $xRank i32) (local $xBits i32) (local $xRanks i32) (local $xSorted i32)
    (local $yBelow i32) (local $yRank i32) (local $yBits i32) (local $yRanks i32) (local $ySorted i32)
    (local.set $range (global.get $range))
    (local.set $t (global.get $t))
    (local.set $xBits (global.get $xBits))
    (local.set $xRanks (i32.sub (global.get $xRanks) (i32.shl (local.get $start) (i32.const 2))))
    (local.set $xSorted (global.get $xSorted))
    (memory.fill
      (local.get $xBits)
      (i32.const 0)
      (i32.add (i32.shr_u (i32.sub (local.get $end) (local.get $start)) (i32.const 3)) (i32.const 16)))
    (local.set $yBits (global.get $yBits))
    (local.set $yRanks (i32.sub (global.get $yRanks) (i32.shl (local.get $start) (i32.const 2))))
    (local.set $ySorted (global.get $ySorted))
    (memory.fill
      (local.get $yBits)
      (i32.const 0)
      (i32.add (i32.shr_u (i32.sub (local.get $end) (local.get $start)) (i32.const 3)) (i32.const 16)))
    (local.set $first (local.get $start))
    (local.set $next (local.get $start))
    (block $stop
      (loop $points
        (local.set $now (f64.load (i32.add (local.get $t) (i32.shl (local.get $i) (i32.const 3)))))
        (block $entered
          (loop $enter
            (br_if $entered (i32.eq (local.get $next) (local.get $to)))
            (br_if $entered
              (f64.gt
                (f64.mul
                  (f64.const 2)
                  (f64.sub (f64.load (i32.add (local.get $t) (i32.shl (local.get $next) (i32.const 3)))) (local.get $now)))
                (local.get $range)))
            (br_if $stop (i32.eq (local.get $next) (local.get $end)))
            (local.set $r (i32.load (i32.add (local.get $xRanks) (i32.shl (local.get $next) (i32.const 2)))))
            (local.set $at (i32.add (local.get $xBits) (i32.shl (i32.shr_u (local.get $r) (i32.const 6)) (i32.const 3))))
            (i64.store (local.get $at) (i64.or (i64.load (local.get $at)) (i64.shl (i64.const 1) (i64.extend_i32_u (local.get $r)))))
            (local.set $xBelow (i32.add (local.get $xBelow) (i32.lt_s (local.get $r) (local.get $xRank))))
            (local.set $r (i32.load (i32.add (local.get $yRanks) (i32.shl (local.get $next) (i32.const 2)))))
            (local.set $at (i32.add (local.get $yBits) (i32.shl (i32.shr_u (local.get $r) (i32.const 6)) (i32.const 3))))
            (i64.store (local.get $at) (i64.or (i64.load (local.get $at)) (i64.shl (i64.const 1) (i64.extend_i32_u (local.get $r)))))
            (local.set $yBelow (i32.add (local.get $yBelow) (i32.lt_s (local.get $r) (local.get $yRank))))
            (local.set $count (i32.add (local.get $count) (i32.const 1)))
            (local.set $next (i32.add (local.get $next) (i32.const 1)))
            (br $enter)))
        (block $left
          (loop $leave
            (br_if $left
              (f64.le
                (f64.mul
                  (f64.const 2)
                  (f64.sub (local.get $now) (f64.load (i32.add (local.get $t) (i32.shl (local.get $first) (i32.const 3))))))
                (local.get $range)))
            (local.set $r (i32.load (i32.add (local.get $xRanks) (i32.shl (local.get $first) (i32.const 2)))))
            (local.set $at (i32.add (local.get $xBits) (i32.shl (i32.shr_u (local.get $r) (i32.const 6)) (i32.const 3))))
            (i64.store (local.get $at) (i64.and (i64.load (local.get $at)) (i64.rotl (i64.const -2) (i64.extend_i32_u (local.get $r)))))
            (local.set $xBelow (i32.sub (local.get $xBelow) (i32.lt_s (local.get $r) (local.get $xRank))))
            (local.set $r (i32.load (i32.add (local.get $yRanks) (i32.shl (local.get $first) (i32.const 2)))))
            (local.set $at (i32.add (local.get $yBits) (i32.shl (i32.shr_u (local.get $r) (i32.const 6)) (i32.const 3))))
            (i64.store (local.get $at) (i64.and (i64.load (local.get $at)) (i64.rotl (i64.const -2) (i64.extend_i32_u (local.get $r)))))
            (local.set $yBelow (i32.sub (local.get $yBelow) (i32.lt_s (local.get $r) (local.get $yRank))))
            (local.set $count (i32.sub (local.get $count) (i32.const 1)))
            (local.set $first (i32.add (local.get $first) (i32.const 1)))
            (br $leave)))
        (local.set $half (i32.shr_u (i32.sub (local.get $count) (i32.const 1)) (i32.const 1)))
        (block $xDownEnough
          (loop $xDown
            (br_if $xDownEnough (i32.le_s (local.get $xBelow) (local.get $half)))
            (local.set $xRank (call $setBefore (local.get $xBits) (local.get $xRank)))
            (local.set $xBelow (i32.sub (local.get $xBelow) (i32.const 1)))
            (br $xDown)))
        (local.set $xRank (call $setFrom (local.get $xBits) (local.get $xRank)))
        (block $xUpEnough
          (loop $xUp
            (br_if $xUpEnough (i32.ge_s (local.get $xBelow) (local.get $half)))
            (local.set $xRank (call $setFrom (local.get $xBits) (i32.add (local.get $xRank) (i32.const 1))))
            (local.set $xBelow (i32.add (local.get $xBelow) (i32.const 1)))
            (br $xUp)))
        (local.set $upper (local.get $xRank))
        (if (i32.eqz (i32.and (local.get $count) (i32.const 1)))
          (then (local.set $upper (call $setFrom (local.get $xBits) (i32.add (local.get $xRank) (i32.const 1))))))
        (f64.store
          (i32.add (global.get $xOut) (i32.shl (local.get $i) (i32.const 3)))
          (f64.mul
            (f64.const 0.5)
            (f64.add
              (f64.load (i32.add (local.get $xSorted) (i32.shl (local.get $xRank) (i32.const 3))))
              (f64.load (i32.add (local.get $xSorted) (i32.shl (local.get $upper) (i32.const 3)))))))
        (block $yDownEnough
          (loop $yDown
            (br_if $yDownEnough (i32.le_s (local.get $yBelow) (local.get $half)))
            (local.set $yRank (call $setBefore (local.get $yBits) (local.get $yRank)))
            (local.set $yBelow (i32.sub (local.get $yBelow) (i32.const 1)))
            (br $yDown)))
        (local.set $yRank (call $setFrom (local.get $yBits) (local.get $yRank)))
        (block $yUpEnough
          (loop $yUp
            (br_if $yUpEnough (i32.ge_s (local.get $yBelow) (local.get $half)))
            (local.set $yRank (call $setFrom (local.get $yBits) (i32.add (local.get $yRank) (i32.const 1))))
            (local.set $yBelow (i32.add (local.get $yBelow) (i32.const 1)))
            (br $yUp)))
        (local.set $upper (local.get $yRank))
        (if (i32.eqz (i32.and (local.get $count) (i32.const 1)))
          (then (local.set $upper (call $setFrom (local.get $yBits) (i32.add (local.get $yRank) (i32.const 1))))))
        (f64.store
          (i32.add (global.get $yOut) (i32.shl (local.get $i) (i32.const 3)))
          (f64.mul
            (f64.const 0.5)
            (f64.add
              (f64.load (i32.add (local.get $ySorted) (i32.shl (local.get $yRank) (i32.const 3))))
              (f64.load (i32.add (local.get $ySorted) (i32.shl (local.get $upper) (i32.const 3)))))))
        (local.set $i (i32.add (local.get $i) (i32.const 1)))
        (br_if $points (i32.lt_s (local.get $i) (local.get $to)))))
    (local.get $i))

  ;; The first rank in the set from this one on; there is one.
  (func $setFrom (param $bits i32) (param $rank i32) (result i32)
    (local $at i32) (local $word i64)
    (local.set $at (i32.shl (i32.shr_u (local.get $rank) (i32.const 6)) (i32.const 3)))
    (local.set $word
      (i64.and
        (i64.load (i32.add (local.get $bits) (local.get $at)))
        (i64.shl (i64.const -1) (i64.extend_i32_u (local.get $rank)))))
    (block $found
      (loop $words
        (br_if $found (i64.ne (local.get $word) (i64.const 0)))
        (local.set $at (i32.add (local.get $at) (i32.const 8)))
        (local.set $word (i64.load (i32.add (local.get $bits) (local.get $at))))
        (br $words)))
    (i32.add (i32.shl (local.get $at) (i32.const 3)) (i32.wrap_i64 (i64.ctz (local.get $word)))))

  ;; The last rank in the set before this one; there is one.
  (func $setBefore (param $bits i32) (param $rank i32) (result i32)
    (local $at i32) (local $word i64)
    (local.set $at (i32.shl (i32.shr_u (local.get $rank) (i32.const 6)) (i32.const 3)))
    (local.set $word
      (i64.and
        (i64.load (i32.add (local.get $bits) (local.get $at)))
        (i64.sub (i64.shl (i64.const 1) (i64.extend_i32_u (local.get $rank))) (i64.const 1))))
    (block $found
      (loop $words
        (br_if $found (i64.ne (local.get $word) (i64.const 0)))
        (local.set $at (i32.sub (local.get $at) (i32.const 8)))
        (local.set $word (i64.load (i32.add (local.get $bits) (local.get $at))))
        (br $words)))
    (i32.sub
      (i32.add (i32.shl (local.get $at) (i32.const 3)) (i32.const 63))
      (i32.wrap_i64 (i64.clz (local.get $word)))))
)
