;; Snappy (github.com/google/snappy, format_description.txt): the elements of whole blocks of 64 KiB, each found in itself alone. The
;; length before them is written by snappy.ts. Built into snappy-wasm.ts by scripts/build-wasm.mjs.
(module
  (memory (import "gazette" "memory") 1)

  ;; From 0 on, for each hash of four bytes, where in the block they were last: 2^14 places of 16 bits.
  (global $tableBytes i32 (i32.const 32768))
  (global $blockBytes i32 (i32.const 65536))
  ;; Fewer bytes than these at a block's end are literals, so that eight bytes may be loaded anywhere before.
  (global $margin i32 (i32.const 15))

  ;; Where the next element goes.
  (global $out (mut i32) (i32.const 0))

  (func $hash (param $at i32) (result i32)
    (i32.shl
      (i32.shr_u (i32.mul (i32.load (local.get $at)) (i32.const 0x1e35a7bd)) (i32.const 18))
      (i32.const 1)))

  (func $putLiteral (param $from i32) (param $to i32)
    (local $len i32) (local $n i32)
    (local.set $len (i32.sub (local.get $to) (local.get $from)))
    (if (i32.eqz (local.get $len)) (then (return)))
    (local.set $n (i32.sub (local.get $len) (i32.const 1)))
    (if (i32.lt_u (local.get $n) (i32.const 60))
      (then
        (i32.store8 (global.get $out) (i32.shl (local.get $n) (i32.const 2)))
        (global.set $out (i32.add (global.get $out) (i32.const 1))))
      (else
        (if (i32.lt_u (local.get $n) (i32.const 256))
          (then
            (i32.store8 (global.get $out) (i32.const 240))
            (i32.store8 offset=1 (global.get $out) (local.get $n))
            (global.set $out (i32.add (global.get $out) (i32.const 2))))
          (else
            (i32.store8 (global.get $out) (i32.const 244))
            (i32.store16 offset=1 (global.get $out) (local.get $n))
            (global.set $out (i32.add (global.get $out) (i32.const 3)))))))
    (memory.copy (global.get $out) (local.get $from) (local.get $len))
    (global.set $out (i32.add (global.get $out) (local.get $len))))

  ;; A copy of 1 to 64 bytes from up to 65,535 bytes before.
  (func $putFar (param $offset i32) (param $len i32)
    (i32.store8 (global.get $out)
      (i32.or (i32.shl (i32.sub (local.get $len) (i32.const 1)) (i32.const 2)) (i32.const 2)))
    (i32.store16 offset=1 (global.get $out) (local.get $offset))
    (global.set $out (i32.add (global.get $out) (i32.const 3))))

  ;; A copy of any length, in pieces; no piece of fewer than four bytes is left.
  (func $putCopy (param $offset i32) (param $len i32)
    (block $few
      (loop $many
        (br_if $few (i32.lt_u (local.get $len) (i32.const 68)))
        (call $putFar (local.get $offset) (i32.const 64))
        (local.set $len (i32.sub (local.get $len) (i32.const 64)))
        (br $many)))
    (if (i32.gt_u (local.get $len) (i32.const 64))
      (then
        (call $putFar (local.get $offset) (i32.const 60))
        (local.set $len (i32.sub (local.get $len) (i32.const 60)))))
    (if (i32.and (i32.lt_u (local.get $len) (i32.const 12)) (i32.lt_u (local.get $offset) (i32.const 2048)))
      (then
        (i32.store8 (global.get $out)
          (i32.or
            (i32.or (i32.const 1) (i32.shl (i32.sub (local.get $len) (i32.const 4)) (i32.const 2)))
            (i32.shl (i32.shr_u (local.get $offset) (i32.const 8)) (i32.const 5))))
        (i32.store8 offset=1 (global.get $out) (local.get $offset))
        (global.set $out (i32.add (global.get $out) (i32.const 2))))
      (else (call $putFar (local.get $offset) (local.get $len)))))

  ;; How many bytes from `a` and `b` on are equal, where `b` ends before `end`; the first four are.
  (func $equalBytes (param $a i32) (param $b i32) (param $end i32) (result i32)
    (local $n i32) (local $differ i64)
    (local.set $n (i32.const 4))
    (block $tail
      (loop $words
        (br_if $tail
          (i32.gt_u (i32.add (i32.add (local.get $b) (local.get $n)) (i32.const 8)) (local.get $end)))
        (local.set $differ
          (i64.xor
            (i64.load (i32.add (local.get $a) (local.get $n)))
            (i64.load (i32.add (local.get $b) (local.get $n)))))
        (if (i64.ne (local.get $differ) (i64.const 0))
          (then
            (return
              (i32.add (local.get $n) (i32.shr_u (i32.wrap_i64 (i64.ctz (local.get $differ))) (i32.const 3))))))
        (local.set $n (i32.add (local.get $n) (i32.const 8)))
        (br $words)))
    (block $over
      (loop $bytes
        (br_if $over (i32.ge_u (i32.add (local.get $b) (local.get $n)) (local.get $end)))
        (br_if $over
          (i32.ne
            (i32.load8_u (i32.add (local.get $a) (local.get $n)))
            (i32.load8_u (i32.add (local.get $b) (local.get $n)))))
        (local.set $n (i32.add (local.get $n) (i32.const 1)))
        (br $bytes)))
    (local.get $n))

  (func $block (param $start i32) (param $end i32)
    (local $at i32) (local $literal i32) (local $limit i32) (local $skip i32) (local $slot i32) (local $seen i32) (local $len i32)
    (local.set $literal (local.get $start))
    (block $rest
      (br_if $rest
        (i32.lt_u (i32.sub (local.get $end) (local.get $start)) (i32.add (global.get $margin) (i32.const 1))))
      (memory.fill (i32.const 0) (i32.const 0) (global.get $tableBytes))
      (local.set $limit (i32.sub (local.get $end) (global.get $margin)))
      (local.set $at (i32.add (local.get $start) (i32.const 1)))
      (loop $search
        ;; The longer nothing is found, the larger the steps: what cannot be compressed costs little.
        (local.set $skip (i32.const 32))
        (block $found
          (loop $step
            (br_if $rest (i32.ge_u (local.get $at) (local.get $limit)))
            (local.set $slot (call $hash (local.get $at)))
            (local.set $seen (i32.add (local.get $start) (i32.load16_u (local.get $slot))))
            (i32.store16 (local.get $slot) (i32.sub (local.get $at) (local.get $start)))
            (br_if $found (i32.eq (i32.load (local.get $seen)) (i32.load (local.get $at))))
            (local.set $at (i32.add (local.get $at) (i32.shr_u (local.get $skip) (i32.const 5))))
            (local.set $skip (i32.add (local.get $skip) (i32.const 1)))
            (br $step)))
        (call $putLiteral (local.get $literal) (local.get $at))
        (loop $again
          (local.set $len (call $equalBytes (local.get $seen) (local.get $at) (local.get $end)))
          (call $putCopy (i32.sub (local.get $at) (local.get $seen)) (local.get $len))
          (local.set $at (i32.add (local.get $at) (local.get $len)))
          (local.set $literal (local.get $at))
          (br_if $rest (i32.ge_u (local.get $at) (local.get $limit)))
          (i32.store16
            (call $hash (i32.sub (local.get $at) (i32.const 1)))
            (i32.sub (i32.sub (local.get $at) (i32.const 1)) (local.get $start)))
          (local.set $slot (call $hash (local.get $at)))
          (local.set $seen (i32.add (local.get $start) (i32.load16_u (local.get $slot))))
          (i32.store16 (local.get $slot) (i32.sub (local.get $at) (local.get $start)))
          (br_if $again (i32.eq (i32.load (local.get $seen)) (i32.load (local.get $at)))))
        (local.set $at (i32.add (local.get $at) (i32.const 1)))
        (br $search)))
    (call $putLiteral (local.get $literal) (local.get $end)))

  ;; Compresses the bytes from `from` to before `to`, to `out`; returns where what it wrote ends.
  (func (export "compress") (param $from i32) (param $to i32) (param $to_out i32) (result i32)
    (local $end i32)
    (global.set $out (local.get $to_out))
    (block $over
      (loop $next
        (br_if $over (i32.ge_u (local.get $from) (local.get $to)))
        (local.set $end (i32.add (local.get $from) (global.get $blockBytes)))
        (if (i32.gt_u (local.get $end) (local.get $to)) (then (local.set $end (local.get $to))))
        (call $block (local.get $from) (local.get $end))
        (local.set $from (local.get $end))
        (br $next)))
    (global.get $out)))
