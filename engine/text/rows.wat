;; Rows of text from columns of numbers, for every format that is text: a row is a list of steps, and each step copies bytes or
;; writes a number and up to eight bytes behind it. What numbers look like is said in numbers.ts, which writes those that are not for
;; here (above 31 bits). Built into rows-wasm.ts by scripts/build-wasm.mjs.
(module
  (memory (import "gazette" "memory") 1)

  ;; Byte offsets: for 0 to 999 three digits, and digits without leading zeros, each with a fourth byte that tells how many count.
  (global $three i32 (i32.const 1024))
  (global $leading i32 (i32.const 5120))

  ;; The steps, of 32 bytes: kind; where its column or its bytes are; how many bytes; where the bytes of a missing value are; up to
  ;; eight bytes behind it; how many those are.
  (global $steps (export "steps") i32 (i32.const 9216))

  ;; The row that comes next, and whether the present one has a number that is not for here.
  (global $row (export "row") (mut i32) (i32.const 0))
  (global $refused (mut i32) (i32.const 0))

  ;; Copies in pieces of 16 bytes; the last one may copy more, which something always overwrites.
  (func $copy (param $at i32) (param $from i32) (param $count i32) (result i32)
    (local $i i32)
    (loop $pieces
      (v128.store (i32.add (local.get $at) (local.get $i)) (v128.load (i32.add (local.get $from) (local.get $i))))
      (local.set $i (i32.add (local.get $i) (i32.const 16)))
      (br_if $pieces (i32.lt_u (local.get $i) (local.get $count))))
    (i32.add (local.get $at) (local.get $count)))

  ;; A whole number without leading zeros.
  (func $natural (param $at i32) (param $value i32) (result i32)
    (local $above i32) (local $digits i32)
    (if (i32.lt_u (local.get $value) (i32.const 1000))
      (then
        (local.set $digits (i32.load (i32.add (global.get $leading) (i32.shl (local.get $value) (i32.const 2)))))
        (i32.store (local.get $at) (local.get $digits))
        (return (i32.add (local.get $at) (i32.shr_u (local.get $digits) (i32.const 24))))))
    (local.set $above (i32.div_u (local.get $value) (i32.const 1000)))
    (local.set $at (call $natural (local.get $at) (local.get $above)))
    (i32.store (local.get $at) (i32.load (i32.add (global.get $three)
      (i32.shl (i32.sub (local.get $value) (i32.mul (local.get $above) (i32.const 1000))) (i32.const 2)))))
    (i32.add (local.get $at) (i32.const 3)))

  ;; A point and three digits without trailing zeros; nothing for 0.
  (func $thousandths (param $at i32) (param $value i32) (result i32)
    (local $digits i32)
    (if (i32.eqz (local.get $value)) (then (return (local.get $at))))
    (local.set $digits (i32.load (i32.add (global.get $three) (i32.shl (local.get $value) (i32.const 2)))))
    (i32.store8 (local.get $at) (i32.const 46))
    (i32.store offset=1 (local.get $at) (local.get $digits))
    (i32.add (i32.add (local.get $at) (i32.const 1)) (i32.shr_u (local.get $digits) (i32.const 24))))

  ;; Checks that a value, not negative, fits into 31 bits; what is no number does not.
  (func $checked (param $value f64) (result i32)
    (if (f64.le (local.get $value) (f64.const 2147483647)) (then (return (i32.trunc_f64_u (local.get $value)))))
    (global.set $refused (i32.const 1))
    (i32.const 0))

  (func $sign (param $at i32) (param $value f64) (param $magnitude i32) (result i32)
    (i32.store8 (local.get $at) (i32.const 45))
    (i32.add (local.get $at) (i32.and (f64.lt (local.get $value) (f64.const 0)) (i32.ne (local.get $magnitude) (i32.const 0)))))

  (func $whole (param $at i32) (param $value f64) (result i32)
    (local $magnitude i32)
    (local.set $magnitude (call $checked (f64.abs (local.get $value))))
    (call $natural (call $sign (local.get $at) (local.get $value) (local.get $magnitude)) (local.get $magnitude)))

  ;; At most six decimals.
  (func $fraction (param $at i32) (param $value f64) (result i32)
    (local $rest i32) (local $above i32)
    (if (f64.eq (local.get $value) (f64.const 0))
      (then
        (i32.store8 (local.get $at) (i32.const 48))
        (return (i32.add (local.get $at) (i32.const 1)))))
    (local.set $rest (call $checked
      (f64.floor (f64.add (f64.mul (f64.abs (local.get $value)) (f64.const 1000000)) (f64.const 0.5)))))
    (local.set $at (call $sign (local.get $at) (local.get $value) (local.get $rest)))
    (local.set $above (i32.div_u (local.get $rest) (i32.const 1000000)))
    (local.set $at (call $natural (local.get $at) (local.get $above)))
    (local.set $rest (i32.sub (local.get $rest) (i32.mul (local.get $above) (i32.const 1000000))))
    (local.set $above (i32.div_u (local.get $rest) (i32.const 1000)))
    (local.set $rest (i32.sub (local.get $rest) (i32.mul (local.get $above) (i32.const 1000))))
    (if (i32.eqz (local.get $rest)) (then (return (call $thousandths (local.get $at) (local.get $above)))))
    (i32.store8 (local.get $at) (i32.const 46))
    (i32.store offset=1 (local.get $at) (i32.load (i32.add (global.get $three) (i32.shl (local.get $above) (i32.const 2)))))
    (local.set $above (i32.load (i32.add (global.get $three) (i32.shl (local.get $rest) (i32.const 2)))))
    (i32.store offset=4 (local.get $at) (local.get $above))
    (i32.add (i32.add (local.get $at) (i32.const 4)) (i32.shr_u (local.get $above) (i32.const 24))))

  ;; A number of thousandths.
  (func $inThousandths (param $at i32) (param $value f64) (result i32)
    (local $magnitude i32) (local $above i32)
    (local.set $magnitude (call $checked (f64.abs (local.get $value))))
    (local.set $at (call $sign (local.get $at) (local.get $value) (local.get $magnitude)))
    (local.set $above (i32.div_u (local.get $magnitude) (i32.const 1000)))
    (call $thousandths (call $natural (local.get $at) (local.get $above))
      (i32.sub (local.get $magnitude) (i32.mul (local.get $above) (i32.const 1000)))))

  ;; A number of at most three decimals, with all of them.
  (func $exact (param $at i32) (param $value f64) (result i32)
    (local $thousandths f64)
    (local.set $thousandths (f64.nearest (f64.mul (local.get $value) (f64.const 1000))))
    (if (f64.ne (f64.div (local.get $thousandths) (f64.const 1000)) (local.get $value)) (then (global.set $refused (i32.const 1))))
    (call $inThousandths (local.get $at) (local.get $thousandths)))

  ;; What a step of a column's value writes: 1 fraction, 2 whole, 3 µs as whole ms, 4 a number with all its digits, 5 µs as ms with
  ;; all digits.
  (func $number (param $kind i32) (param $at i32) (param $value f64) (result i32)
    (block $exactMs (block $exact (block $ms (block $whole (block $fraction
      (br_table $fraction $fraction $whole $ms $exact $exactMs (local.get $kind)))
      (return (call $fraction (local.get $at) (local.get $value))))
      (return (call $whole (local.get $at) (local.get $value))))
      (return (call $whole (local.get $at)
        (f64.floor (f64.div (f64.add (local.get $value) (f64.const 500)) (f64.const 1000))))))
      (return (call $exact (local.get $at) (local.get $value))))
    (call $inThousandths (local.get $at) (local.get $value)))

  ;; Writes a step of row `row` at `at`. Kinds beyond numbers: 0 bytes, 6 true, false or 2 for missing, 7 bytes where the column says 1,
  ;; 8 one of several texts, for each of which a table has address and length; before it, for -1, those of a missing value.
  (func $step (param $step i32) (param $row i32) (param $at i32) (result i32)
    (local $kind i32) (local $from i32) (local $count i32) (local $value f64)
    (local.set $kind (i32.load (local.get $step)))
    (local.set $from (i32.load offset=4 (local.get $step)))
    (local.set $count (i32.load offset=8 (local.get $step)))
    (if (i32.eqz (local.get $kind)) (then (return (call $copy (local.get $at) (local.get $from) (local.get $count)))))
    (if (i32.eq (local.get $kind) (i32.const 8))
      (then
        (local.set $value (f64.load (i32.add (local.get $from) (i32.shl (local.get $row) (i32.const 3)))))
        (local.set $from (i32.add (i32.load offset=12 (local.get $step)) (i32.shl (i32.trunc_f64_s (local.get $value)) (i32.const 3))))
        (return (call $copy (local.get $at) (i32.load offset=8 (local.get $from)) (i32.load offset=12 (local.get $from))))))
    (if (i32.ge_u (local.get $kind) (i32.const 6))
      (then
        (local.set $from (i32.load8_u (i32.add (local.get $from) (local.get $row))))
        (if (i32.eq (local.get $kind) (i32.const 6))
          (then
            (if (i32.eq (local.get $from) (i32.const 2))
              (then (return (call $copy (local.get $at) (i32.load offset=12 (local.get $step)) (local.get $count)))))
            (i64.store (local.get $at) (select (i64.const 0x65757274) (i64.const 0x65736c6166) (local.get $from)))
            (return (i32.sub (i32.add (local.get $at) (i32.const 5)) (local.get $from)))))
        (if (i32.eqz (local.get $from)) (then (return (local.get $at))))
        (return (call $copy (local.get $at) (i32.load offset=12 (local.get $step)) (local.get $count)))))
    (local.set $value (f64.load (i32.add (local.get $from) (i32.shl (local.get $row) (i32.const 3)))))
    (if (f64.ne (local.get $value) (local.get $value))
      (then (return (call $copy (local.get $at) (i32.load offset=12 (local.get $step)) (local.get $count)))))
    (call $number (local.get $kind) (local.get $at) (local.get $value)))

  ;; Writes rows `row` to `to` at `at`, until one might end behind `limit`, or has a number that is not for here. Returns the end.
  (func (export "write") (param $row i32) (param $to i32) (param $stepsEnd i32) (param $at i32) (param $limit i32) (result i32)
    (local $step i32) (local $end i32)
    (global.set $refused (i32.const 0))
    (local.set $end (local.get $at))
    (block $stop
      (loop $rows
        (br_if $stop (i32.ge_u (local.get $row) (local.get $to)))
        (br_if $stop (i32.gt_u (local.get $at) (local.get $limit)))
        (local.set $step (global.get $steps))
        (loop $row
          (local.set $at (call $step (local.get $step) (local.get $row) (local.get $at)))
          (i64.store (local.get $at) (i64.load offset=16 (local.get $step)))
          (local.set $at (i32.add (local.get $at) (i32.load offset=24 (local.get $step))))
          (local.set $step (i32.add (local.get $step) (i32.const 32)))
          (br_if $row (i32.lt_u (local.get $step) (local.get $stepsEnd))))
        (br_if $stop (global.get $refused))
        (local.set $end (local.get $at))
        (local.set $row (i32.add (local.get $row) (i32.const 1)))
        (br $rows)))
    (global.set $row (local.get $row))
    (local.get $end)))
