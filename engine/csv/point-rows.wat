;; Rows of a test's points: the test's cells, two fractions, milliseconds, true or false, and an empty cell of notes. What numbers look
;; like is said in numbers.ts, which writes those that are not here: above 31 bits in millionths or milliseconds, or negative times.
;; Built into point-rows-wasm.ts by scripts/build-wasm.mjs.
(module
  (memory (import "gazette" "memory") 1)

  ;; Byte offsets: for 0 to 999 three digits, and digits without leading zeros, each with a fourth byte that tells how many count; the
  ;; test's cells; the columns.
  (global $three i32 (i32.const 1024))
  (global $leading i32 (i32.const 5120))
  (global $cells (export "cells") i32 (i32.const 16384))
  (global $x (export "x") i32 (i32.const 49152))
  (global $y (export "y") i32 (i32.const 81920))
  (global $t (export "t") i32 (i32.const 114688))
  (global $interpolated (export "interpolated") i32 (i32.const 147456))

  ;; The row that comes next.
  (global $row (export "row") (mut i32) (i32.const 0))

  ;; A whole number without leading zeros. The byte behind it is overwritten, here as everywhere: something always follows.
  (func $whole (param $at i32) (param $value i32) (result i32)
    (local $above i32) (local $digits i32)
    (if (i32.lt_u (local.get $value) (i32.const 1000))
      (then
        (local.set $digits (i32.load (i32.add (global.get $leading) (i32.shl (local.get $value) (i32.const 2)))))
        (i32.store (local.get $at) (local.get $digits))
        (return (i32.add (local.get $at) (i32.shr_u (local.get $digits) (i32.const 24))))))
    (local.set $above (i32.div_u (local.get $value) (i32.const 1000)))
    (local.set $at (call $whole (local.get $at) (local.get $above)))
    (i32.store (local.get $at) (i32.load (i32.add (global.get $three)
      (i32.shl (i32.sub (local.get $value) (i32.mul (local.get $above) (i32.const 1000))) (i32.const 2)))))
    (i32.add (local.get $at) (i32.const 3)))

  ;; Millionths as a fraction without trailing zeros, and a comma.
  (func $fraction (param $at i32) (param $negative i32) (param $millionths i32) (result i32)
    (local $above i32) (local $digits i32)
    (i32.store8 (local.get $at) (i32.const 45))
    (local.set $at (i32.add (local.get $at) (i32.and (local.get $negative) (i32.ne (local.get $millionths) (i32.const 0)))))
    (local.set $above (i32.div_u (local.get $millionths) (i32.const 1000000)))
    (local.set $at (call $whole (local.get $at) (local.get $above)))
    (local.set $millionths (i32.sub (local.get $millionths) (i32.mul (local.get $above) (i32.const 1000000))))
    (if (local.get $millionths)
      (then
        (local.set $above (i32.div_u (local.get $millionths) (i32.const 1000)))
        (local.set $millionths (i32.sub (local.get $millionths) (i32.mul (local.get $above) (i32.const 1000))))
        (i32.store8 (local.get $at) (i32.const 46))
        (local.set $digits (i32.load (i32.add (global.get $three) (i32.shl (local.get $above) (i32.const 2)))))
        (i32.store offset=1 (local.get $at) (local.get $digits))
        (if (local.get $millionths)
          (then
            (local.set $at (i32.add (local.get $at) (i32.const 3)))
            (local.set $digits (i32.load (i32.add (global.get $three) (i32.shl (local.get $millionths) (i32.const 2)))))
            (i32.store offset=1 (local.get $at) (local.get $digits))))
        (local.set $at (i32.add (i32.add (local.get $at) (i32.const 1)) (i32.shr_u (local.get $digits) (i32.const 24))))))
    (i32.store8 (local.get $at) (i32.const 44))
    (i32.add (local.get $at) (i32.const 1)))

  ;; Writes rows `from` to `to` at `at`, until one might end behind `limit`, or has a number that is not for here. Returns the end.
  (func (export "write") (param $from i32) (param $to i32) (param $cellBytes i32) (param $at i32) (param $limit i32) (result i32)
    (local $x f64) (local $y f64) (local $t f64) (local $xs f64) (local $ys f64) (local $i i32)
    (block $end
      (loop $rows
        (br_if $end (i32.ge_u (local.get $from) (local.get $to)))
        (br_if $end (i32.gt_u (local.get $at) (local.get $limit)))
        (local.set $x (f64.load (i32.add (global.get $x) (i32.shl (local.get $from) (i32.const 3)))))
        (local.set $y (f64.load (i32.add (global.get $y) (i32.shl (local.get $from) (i32.const 3)))))
        (local.set $t (f64.load (i32.add (global.get $t) (i32.shl (local.get $from) (i32.const 3)))))
        (local.set $xs (f64.floor (f64.add (f64.mul (f64.abs (local.get $x)) (f64.const 1000000)) (f64.const 0.5))))
        (local.set $ys (f64.floor (f64.add (f64.mul (f64.abs (local.get $y)) (f64.const 1000000)) (f64.const 0.5))))
        (local.set $t (f64.floor (f64.div (f64.add (local.get $t) (f64.const 500)) (f64.const 1000))))
        ;; Asked so that what is no number ends it, too.
        (br_if $end (i32.eqz (i32.and
          (f64.le (f64.max (f64.max (local.get $xs) (local.get $ys)) (local.get $t)) (f64.const 2147483647))
          (f64.ge (local.get $t) (f64.const 0)))))
        ;; The cells in pieces of 16 bytes; the last one may copy more.
        (local.set $i (i32.const 0))
        (loop $cells
          (v128.store (i32.add (local.get $at) (local.get $i)) (v128.load (i32.add (global.get $cells) (local.get $i))))
          (local.set $i (i32.add (local.get $i) (i32.const 16)))
          (br_if $cells (i32.lt_u (local.get $i) (local.get $cellBytes))))
        (local.set $at (i32.add (local.get $at) (local.get $cellBytes)))
        (local.set $at (call $fraction (local.get $at) (f64.lt (local.get $x) (f64.const 0)) (i32.trunc_f64_u (local.get $xs))))
        (local.set $at (call $fraction (local.get $at) (f64.lt (local.get $y) (f64.const 0)) (i32.trunc_f64_u (local.get $ys))))
        (local.set $at (call $whole (local.get $at) (i32.trunc_f64_u (local.get $t))))
        ;; ",true,\n" or ",false,\n" at once.
        (local.set $i (i32.load8_u (i32.add (global.get $interpolated) (local.get $from))))
        (i64.store (local.get $at) (select (i64.const 0x0a2c657572742c) (i64.const 0x0a2c65736c61662c) (local.get $i)))
        (local.set $at (i32.sub (i32.add (local.get $at) (i32.const 8)) (local.get $i)))
        (local.set $from (i32.add (local.get $from) (i32.const 1)))
        (br $rows)))
    (global.set $row (local.get $from))
    (local.get $at)))
