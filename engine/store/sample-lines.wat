;; Lines of samples.csv as exporters write them: an id, numbers and flags between commas, a row a line, into columns. What is not for
;; here is asked for cell by cell, of sample-lines.ts: the test of an id that is not that of the line before, and numbers of more
;; digits than a double holds exactly, or with an exponent.
;; Built into sample-lines-wasm.ts by scripts/build-wasm.mjs.
(module
  (memory (import "gazette" "memory") 1)
  ;; The test whose id stands there.
  (import "gazette" "testAt" (func $testAt (param i32) (result i32)))
  ;; Puts the number that begins there into $value, and returns where it ends, or -1 when it is no plain number.
  (import "gazette" "numberAt" (func $numberAt (param i32) (result i32)))

  ;; Byte offsets of what is read: columns of doubles, from that of place 1 on, so many bytes apart; the test of each row; its click.
  (global $columns (import "gazette" "columns") i32)
  (global $columnBytes (import "gazette" "columnBytes") i32)
  (global $tests (import "gazette" "tests") i32)
  (global $clicks (import "gazette" "clicks") i32)

  ;; Byte offsets of what is given: of each column of the file its place in SAMPLE_COLUMNS, a byte each; by place, how large a value
  ;; may be; powers of ten from the 0th to the 18th.
  (global $order (export "order") i32 (i32.const 8))
  (global $bounds (export "bounds") i32 (i32.const 64))
  (global $powers (export "powers") i32 (i32.const 128))

  (global $value (export "value") (mut f64) (f64.const 0))

  ;; Where a value of a column of numbers is.
  (func $place (param $column i32) (param $row i32) (result i32)
    (i32.add
      (i32.add (global.get $columns) (i32.mul (i32.sub (local.get $column) (i32.const 1)) (global.get $columnBytes)))
      (i32.shl (local.get $row) (i32.const 3))))

  ;; Both or none: a place without x or without y is lost.
  (func $losePair (param $x i32) (param $y i32)
    (if (i32.or
          (f64.ne (f64.load (local.get $x)) (f64.load (local.get $x)))
          (f64.ne (f64.load (local.get $y)) (f64.load (local.get $y))))
      (then
        (f64.store (local.get $x) (f64.const nan))
        (f64.store (local.get $y) (f64.const nan)))))

  ;; Reads the lines from `at` to `end`, whose last column has the index `last`. Returns how many; -1 when one is not plain, or there
  ;; are more than `rows`.
  (func (export "read") (param $at i32) (param $end i32) (param $last i32) (param $rows i32) (result i32)
    (local $row i32) (local $c i32) (local $column i32) (local $byte i32) (local $begin i32) (local $digits i32)
    (local $fraction i32) (local $idAt i32) (local $test i32) (local $word i32) (local $whole i64) (local $value f64)
    (block $wrong
      (loop $lines
        (if (i32.eq (local.get $at) (local.get $end)) (then (return (local.get $row))))
        (br_if $wrong (i32.or (i32.gt_u (local.get $at) (local.get $end)) (i32.eq (local.get $row) (local.get $rows))))
        (local.set $c (i32.const 0))
        (loop $cells
          (local.set $column (i32.load8_u (i32.add (global.get $order) (local.get $c))))
          (block $cell

            (if (i32.eqz (local.get $column))
              (then
                (block $same
                  (if (local.get $idAt)
                    (then
                      ;; 36 bytes, the last four with four more before them.
                      (br_if $same (i64.eqz
                        (i64.or
                          (i64.or
                            (i64.xor (i64.load (local.get $at)) (i64.load (local.get $idAt)))
                            (i64.xor (i64.load offset=8 (local.get $at)) (i64.load offset=8 (local.get $idAt))))
                          (i64.or
                            (i64.or
                              (i64.xor (i64.load offset=16 (local.get $at)) (i64.load offset=16 (local.get $idAt)))
                              (i64.xor (i64.load offset=24 (local.get $at)) (i64.load offset=24 (local.get $idAt))))
                            (i64.xor (i64.load offset=28 (local.get $at)) (i64.load offset=28 (local.get $idAt)))))))))
                  (local.set $test (call $testAt (local.get $at))))
                (local.set $idAt (local.get $at))
                (i32.store (i32.add (global.get $tests) (i32.shl (local.get $row) (i32.const 2))) (local.get $test))
                (local.set $at (i32.add (local.get $at) (i32.const 36)))
                (br $cell)))

            ;; What is missing: nothing, NA, NaN or nan. Whatever else begins like them does not end where a cell does.
            (block $missing
              (block $given
                (local.set $byte (i32.load8_u (local.get $at)))
                (br_if $missing (i32.or
                  (i32.eq (local.get $byte) (i32.const 44))
                  (i32.or (i32.eq (local.get $byte) (i32.const 10)) (i32.eq (local.get $byte) (i32.const 13)))))
                (br_if $given (i32.ne (i32.or (local.get $byte) (i32.const 32)) (i32.const 110)))
                (local.set $word (i32.and (i32.load (local.get $at)) (i32.const 0xffffff)))
                (if (i32.eq (i32.and (local.get $word) (i32.const 0xffff)) (i32.const 0x414e))
                  (then
                    (local.set $at (i32.add (local.get $at) (i32.const 2)))
                    (br $missing)))
                (br_if $wrong (i32.and
                  (i32.ne (local.get $word) (i32.const 0x4e614e))
                  (i32.ne (local.get $word) (i32.const 0x6e616e))))
                (local.set $at (i32.add (local.get $at) (i32.const 3)))
                (br $missing))

              (if (i32.eq (local.get $column) (i32.const 7))
                (then
                  (local.set $word (i32.load (local.get $at)))
                  (block $flag
                    ;; fals and an e, true
                    (if (i32.and
                          (i32.eq (local.get $word) (i32.const 0x736c6166))
                          (i32.eq (i32.load8_u offset=4 (local.get $at)) (i32.const 101)))
                      (then
                        (local.set $word (i32.const 0))
                        (local.set $at (i32.add (local.get $at) (i32.const 5)))
                        (br $flag)))
                    (if (i32.eq (local.get $word) (i32.const 0x65757274))
                      (then
                        (local.set $word (i32.const 1))
                        (local.set $at (i32.add (local.get $at) (i32.const 4)))
                        (br $flag)))
                    (local.set $word (i32.sub (local.get $byte) (i32.const 48)))
                    (br_if $wrong (i32.gt_u (local.get $word) (i32.const 1)))
                    (local.set $at (i32.add (local.get $at) (i32.const 1))))
                  (i32.store8 (i32.add (global.get $clicks) (local.get $row)) (local.get $word))
                  (br $cell)))

              (local.set $begin (local.get $at))
              (local.set $at (i32.add (local.get $at) (i32.eq (local.get $byte) (i32.const 45))))
              (local.set $word (local.get $at))
              (local.set $whole (i64.const 0))
              (block $end
                (loop $digit
                  (local.set $byte (i32.sub (i32.load8_u (local.get $at)) (i32.const 48)))
                  (br_if $end (i32.gt_u (local.get $byte) (i32.const 9)))
                  (local.set $whole
                    (i64.add (i64.mul (local.get $whole) (i64.const 10)) (i64.extend_i32_u (local.get $byte))))
                  (local.set $at (i32.add (local.get $at) (i32.const 1)))
                  (br $digit)))
              (local.set $digits (i32.sub (local.get $at) (local.get $word)))
              (local.set $fraction (i32.const 0))
              (block $plain
                (block $odd
                  (br_if $odd (i32.eqz (local.get $digits)))
                  (if (i32.eq (local.get $byte) (i32.const -2))
                    (then
                      (local.set $at (i32.add (local.get $at) (i32.const 1)))
                      (local.set $word (local.get $at))
                      (block $end
                        (loop $digit
                          (local.set $byte (i32.sub (i32.load8_u (local.get $at)) (i32.const 48)))
                          (br_if $end (i32.gt_u (local.get $byte) (i32.const 9)))
                          (local.set $whole
                            (i64.add (i64.mul (local.get $whole) (i64.const 10)) (i64.extend_i32_u (local.get $byte))))
                          (local.set $at (i32.add (local.get $at) (i32.const 1)))
                          (br $digit)))
                      (local.set $fraction (i32.sub (local.get $at) (local.get $word)))
                      (br_if $odd (i32.eqz (local.get $fraction)))
                      (local.set $digits (i32.add (local.get $digits) (local.get $fraction)))))
                  ;; It ends where a cell does, and all its digits make a whole number below 2⁵³: then their quotient with a power of
                  ;; ten, which is exact too, is the double that is nearest to what is written.
                  (br_if $odd (i32.eqz (i32.or
                    (i32.eq (local.get $byte) (i32.const -4))
                    (i32.or (i32.eq (local.get $byte) (i32.const -38)) (i32.eq (local.get $byte) (i32.const -35))))))
                  (br_if $odd (i32.gt_u (local.get $digits) (i32.const 18)))
                  (br_if $odd (i64.gt_u (local.get $whole) (i64.const 0x20000000000000)))
                  (local.set $value (f64.convert_i64_u (local.get $whole)))
                  (if (local.get $fraction)
                    (then
                      (local.set $value (f64.div (local.get $value)
                        (f64.load (i32.add (global.get $powers) (i32.shl (local.get $fraction) (i32.const 3))))))))
                  (if (i32.eq (i32.load8_u (local.get $begin)) (i32.const 45))
                    (then (local.set $value (f64.neg (local.get $value)))))
                  (br $plain))
                (local.set $at (call $numberAt (local.get $begin)))
                (br_if $wrong (i32.lt_s (local.get $at) (i32.const 0)))
                (local.set $value (global.get $value)))
              (br_if $wrong (f64.gt
                (f64.abs (local.get $value))
                (f64.load (i32.add (global.get $bounds) (i32.shl (local.get $column) (i32.const 3))))))
              ;; Times are whole µs.
              (if (i32.eq (local.get $column) (i32.const 1))
                (then
                  (local.set $value
                    (f64.floor (f64.add (f64.mul (local.get $value) (f64.const 1000)) (f64.const 0.5))))))
              (f64.store (call $place (local.get $column) (local.get $row)) (local.get $value))
              (br $cell))

            ;; A time is never missing, no click is none, and a scroll that is lost is 0.
            (br_if $wrong (i32.eq (local.get $column) (i32.const 1)))
            (if (i32.eq (local.get $column) (i32.const 7))
              (then (i32.store8 (i32.add (global.get $clicks) (local.get $row)) (i32.const 0)))
              (else
                (f64.store (call $place (local.get $column) (local.get $row))
                  (select (f64.const 0) (f64.const nan) (i32.eq (local.get $column) (i32.const 4)))))))

          (local.set $byte (i32.load8_u (local.get $at)))
          (if (i32.lt_u (local.get $c) (local.get $last))
            (then
              (br_if $wrong (i32.ne (local.get $byte) (i32.const 44)))
              (local.set $at (i32.add (local.get $at) (i32.const 1)))
              (local.set $c (i32.add (local.get $c) (i32.const 1)))
              (br $cells))))

        (if (i32.eq (local.get $byte) (i32.const 13))
          (then
            (local.set $at (i32.add (local.get $at) (i32.const 1)))
            (local.set $byte (i32.load8_u (local.get $at)))))
        (br_if $wrong (i32.ne (local.get $byte) (i32.const 10)))
        (local.set $at (i32.add (local.get $at) (i32.const 1)))
        (call $losePair (call $place (i32.const 2) (local.get $row)) (call $place (i32.const 3) (local.get $row)))
        (call $losePair (call $place (i32.const 5) (local.get $row)) (call $place (i32.const 6) (local.get $row)))
        (local.set $row (i32.add (local.get $row) (i32.const 1)))
        (br $lines)))
    (i32.const -1)))
