;; Deflate (RFC 1951) for rows that mostly repeat the row before: the two passes over the bytes that deflate-rows.ts needs.
;; A row is taken as what its beginning and its end share with the row before, and literals in between. What a row's end and the
;; next one's beginning repeat lies equally far back, so it is one match. Built into deflate-rows-wasm.ts by scripts/build-wasm.mjs.
;; What is short and hot is written out where it is used: V8 does not inline functions of WebAssembly here.
(module
  (memory (import "gazette" "memory") 1)

  ;; From 0 on counts of symbols: 288 of literals, the end and lengths, then 30 of distances. Byte offsets of the rest: codes of
  ;; literals; codes of lengths and of distances with their extra bits, and how many bits those are; the symbols of lengths and of
  ;; distances; the input; tokens of eight bytes (literals before, length, distance).
  (global $litCodes i32 (i32.const 1280))
  (global $lenBits i32 (i32.const 2320))
  (global $lenSizes i32 (i32.const 3360))
  (global $distBits i32 (i32.const 3632))
  (global $distSizes i32 (i32.const 11824))
  (global $lenSymbols i32 (i32.const 13872))
  (global $distSymbols i32 (i32.const 14144))
  (global $in i32 (i32.const 16384))
  (global $tokens (export "tokens") i32 (i32.const 1065024))

  ;; Where the input's next literal is, where the next token goes, and how many literals there were.
  (global $done (mut i32) (i32.const 0))
  (global $token (mut i32) (i32.const 0))
  (global $literals (mut i32) (i32.const 0))

  ;; Counts the literals up to `to`; returns how many.
  (func $countLiterals (param $to i32) (result i32)
    (local $from i32) (local $at i32) (local $count i32)
    (local.set $from (global.get $done))
    (global.set $done (local.get $to))
    (local.set $at (local.get $from))
    (block $end
      (loop $next
        (br_if $end (i32.ge_u (local.get $at) (local.get $to)))
        (local.set $count (i32.shl (i32.load8_u (local.get $at)) (i32.const 2)))
        (i32.store (local.get $count) (i32.add (i32.load (local.get $count)) (i32.const 1)))
        (local.set $at (i32.add (local.get $at) (i32.const 1)))
        (br $next)))
    (global.set $literals (i32.add (global.get $literals) (i32.sub (local.get $to) (local.get $from))))
    (i32.sub (local.get $to) (local.get $from)))

  (func $put (param $literals i32) (param $len i32) (param $dist i32)
    (i32.store (global.get $token) (local.get $literals))
    (i32.store16 offset=4 (global.get $token) (local.get $len))
    (i32.store16 offset=6 (global.get $token) (local.get $dist))
    (global.set $token (i32.add (global.get $token) (i32.const 8))))

  ;; A match, in pieces of at most 258 bytes, none of fewer than three; one of fewer than four is left to be literals.
  (func $match (param $at i32) (param $len i32) (param $dist i32)
    (local $before i32) (local $piece i32) (local $rest i32) (local $count i32)
    (if (i32.lt_u (local.get $len) (i32.const 4)) (then (return)))
    (local.set $before (call $countLiterals (local.get $at)))
    (global.set $done (i32.add (local.get $at) (local.get $len)))
    (loop $next
      (local.set $piece (select (i32.const 258) (local.get $len) (i32.gt_u (local.get $len) (i32.const 258))))
      (local.set $rest (i32.sub (local.get $len) (local.get $piece)))
      (if (i32.and (i32.ne (local.get $rest) (i32.const 0)) (i32.lt_u (local.get $rest) (i32.const 3)))
        (then (local.set $piece (i32.sub (local.get $piece) (i32.const 3)))))
      (call $put (local.get $before) (local.get $piece) (local.get $dist))
      (local.set $count (i32.shl (i32.load8_u (i32.add (global.get $lenSymbols) (local.get $piece))) (i32.const 2)))
      (i32.store offset=1028 (local.get $count) (i32.add (i32.load offset=1028 (local.get $count)) (i32.const 1)))
      (local.set $count (i32.shl (i32.load8_u (i32.add (global.get $distSymbols) (local.get $dist))) (i32.const 2)))
      (i32.store offset=1152 (local.get $count) (i32.add (i32.load offset=1152 (local.get $count)) (i32.const 1)))
      (local.set $before (i32.const 0))
      (local.set $len (i32.sub (local.get $len) (local.get $piece)))
      (br_if $next (local.get $len))))

  ;; How many bytes from `a` on equal those from `b` on, at most `limit`.
  (func $common (param $a i32) (param $b i32) (param $limit i32) (result i32)
    (local $n i32) (local $equal i32)
    (loop $next
      (local.set $equal (i8x16.bitmask (i8x16.eq
        (v128.load (i32.add (local.get $a) (local.get $n)))
        (v128.load (i32.add (local.get $b) (local.get $n))))))
      (if (i32.eq (local.get $equal) (i32.const 0xffff))
        (then
          (local.set $n (i32.add (local.get $n) (i32.const 16)))
          (br_if $next (i32.lt_u (local.get $n) (local.get $limit))))
        (else
          (local.set $n (i32.add (local.get $n) (i32.ctz (i32.xor (local.get $equal) (i32.const 0xffff))))))))
    (select (local.get $n) (local.get $limit) (i32.lt_u (local.get $n) (local.get $limit))))

  ;; Where the row that `at` is in ends: behind the next line feed, or at `to`.
  (func $rowEnd (param $at i32) (param $to i32) (result i32)
    (local $found i32)
    (loop $next
      (local.set $found (i8x16.bitmask (i8x16.eq (v128.load (local.get $at)) (i8x16.splat (i32.const 10)))))
      (if (i32.eqz (local.get $found))
        (then
          (local.set $at (i32.add (local.get $at) (i32.const 16)))
          (br_if $next (i32.lt_u (local.get $at) (local.get $to))))
        (else (local.set $at (i32.add (i32.add (local.get $at) (i32.ctz (local.get $found))) (i32.const 1))))))
    (select (local.get $at) (local.get $to) (i32.lt_u (local.get $at) (local.get $to))))

  ;; First pass: cuts n bytes of input into tokens and counts symbols. Returns where the tokens end; 0 when more than a fourth are
  ;; literals, for which others are better.
  (func (export "tokenize") (param $n i32) (result i32)
    (local $to i32) (local $row i32) (local $previous i32) (local $back i32) (local $same i32) (local $middle i32)
    (local $end i32) (local $a i32) (local $b i32) (local $length i32)
    ;; A match that may still grow.
    (local $at i32) (local $len i32) (local $dist i32)
    (memory.fill (i32.const 0) (i32.const 0) (i32.const 1280))
    (global.set $done (global.get $in))
    (global.set $token (global.get $tokens))
    (global.set $literals (i32.const 0))
    (local.set $row (global.get $in))
    (local.set $to (i32.add (global.get $in) (local.get $n)))
    (block $over
      (loop $rows
        (br_if $over (i32.ge_u (local.get $row) (local.get $to)))
        ;; What the row begins with as the one before; no line feed, so it cannot go beyond either.
        (local.set $same (i32.const 0))
        (local.set $back (i32.sub (local.get $row) (local.get $previous)))
        (if (i32.and (i32.ne (local.get $previous) (i32.const 0)) (i32.lt_u (local.get $back) (i32.const 2048)))
          (then
            (local.set $length (i32.sub (local.get $to) (local.get $row)))
            (local.set $same (call $common (local.get $row) (local.get $previous)
              (select (local.get $length) (i32.sub (local.get $back) (i32.const 1))
                (i32.lt_u (local.get $length) (i32.sub (local.get $back) (i32.const 1))))))))
        (if (i32.and (i32.ne (local.get $len) (i32.const 0)) (i32.eq (local.get $dist) (local.get $back)))
          (then (local.set $len (i32.add (local.get $len) (local.get $same))))
          (else
            (call $match (local.get $at) (local.get $len) (local.get $dist))
            (local.set $at (local.get $row))
            (local.set $len (local.get $same))
            (local.set $dist (local.get $back))))
        (local.set $middle (i32.add (local.get $row) (local.get $same)))
        (local.set $end (call $rowEnd (local.get $middle) (local.get $to)))
        (local.set $length (i32.sub (local.get $end) (local.get $row)))
        ;; What it ends with as the one before.
        (local.set $a (local.get $end))
        (local.set $b (local.get $row))
        (if (i32.and (i32.ne (local.get $previous) (i32.const 0)) (i32.lt_u (local.get $length) (i32.const 2048)))
          (then
            (block $differs
              (loop $next
                (br_if $differs (i32.le_u (local.get $a) (local.get $middle)))
                (br_if $differs (i32.le_u (local.get $b) (local.get $previous)))
                (br_if $differs (i32.ne
                  (i32.load8_u (i32.sub (local.get $a) (i32.const 1)))
                  (i32.load8_u (i32.sub (local.get $b) (i32.const 1)))))
                (local.set $a (i32.sub (local.get $a) (i32.const 1)))
                (local.set $b (i32.sub (local.get $b) (i32.const 1)))
                (br $next)))))
        (if (i32.and (i32.eq (local.get $a) (local.get $middle)) (i32.eq (local.get $dist) (local.get $length)))
          (then (local.set $len (i32.add (local.get $len) (i32.sub (local.get $end) (local.get $a)))))
          (else
            (call $match (local.get $at) (local.get $len) (local.get $dist))
            (local.set $at (local.get $a))
            (local.set $len (i32.sub (local.get $end) (local.get $a)))
            (local.set $dist (local.get $length))))
        (local.set $previous (local.get $row))
        (local.set $row (local.get $end))
        ;; The literals so far, also those that are not counted yet.
        (local.set $length (i32.add (global.get $literals)
          (i32.sub (local.get $row) (i32.add (global.get $done) (local.get $len)))))
        (br_if $rows (i32.le_s
          (i32.shl (i32.sub (local.get $length) (i32.const 2048)) (i32.const 2))
          (i32.sub (local.get $row) (global.get $in))))
        (return (i32.const 0))))
    (call $match (local.get $at) (local.get $len) (local.get $dist))
    (call $put (call $countLiterals (local.get $to)) (i32.const 0) (i32.const 0))
    ;; The end of the block is a symbol, too.
    (i32.store (i32.const 1024) (i32.const 1))
    (global.get $token))

  ;; Second pass: writes the tokens' codes behind `bitCount` bits that are there already, the end of the block, and an empty one
  ;; that ends on a byte. Returns where the output ends.
  (func (export "encode") (param $tokensEnd i32) (param $out i32) (param $bits i32) (param $bitCount i32) (result i32)
    (local $buffer i64) (local $used i64) (local $at i32) (local $token i32) (local $left i32) (local $code i32)
    (local $len i32) (local $dist i32)
    (local.set $buffer (i64.extend_i32_u (local.get $bits)))
    (local.set $used (i64.extend_i32_u (local.get $bitCount)))
    (local.set $at (global.get $in))
    (local.set $token (global.get $tokens))
    (loop $tokens
      (local.set $left (i32.load (local.get $token)))
      (block $match
        (loop $literals
          (br_if $match (i32.eqz (local.get $left)))
          (local.set $code (i32.load
            (i32.add (global.get $litCodes) (i32.shl (i32.load8_u (local.get $at)) (i32.const 2)))))
          (local.set $buffer (i64.or (local.get $buffer)
            (i64.shl (i64.extend_i32_u (i32.and (local.get $code) (i32.const 0xffff))) (local.get $used))))
          (local.set $used (i64.add (local.get $used) (i64.extend_i32_u (i32.shr_u (local.get $code) (i32.const 16)))))
          (if (i64.ge_u (local.get $used) (i64.const 32))
            (then
              (i64.store32 (local.get $out) (local.get $buffer))
              (local.set $out (i32.add (local.get $out) (i32.const 4)))
              (local.set $buffer (i64.shr_u (local.get $buffer) (i64.const 32)))
              (local.set $used (i64.sub (local.get $used) (i64.const 32)))))
          (local.set $at (i32.add (local.get $at) (i32.const 1)))
          (local.set $left (i32.sub (local.get $left) (i32.const 1)))
          (br $literals)))
      (local.set $len (i32.load16_u offset=4 (local.get $token)))
      (if (local.get $len)
        (then
          (local.set $dist (i32.load16_u offset=6 (local.get $token)))
          (local.set $at (i32.add (local.get $at) (local.get $len)))
          (local.set $buffer (i64.or (local.get $buffer) (i64.shl
            (i64.load32_u (i32.add (global.get $lenBits) (i32.shl (local.get $len) (i32.const 2)))) (local.get $used))))
          (local.set $used (i64.add (local.get $used)
            (i64.load8_u (i32.add (global.get $lenSizes) (local.get $len)))))
          (if (i64.ge_u (local.get $used) (i64.const 32))
            (then
              (i64.store32 (local.get $out) (local.get $buffer))
              (local.set $out (i32.add (local.get $out) (i32.const 4)))
              (local.set $buffer (i64.shr_u (local.get $buffer) (i64.const 32)))
              (local.set $used (i64.sub (local.get $used) (i64.const 32)))))
          (local.set $buffer (i64.or (local.get $buffer) (i64.shl
            (i64.load32_u (i32.add (global.get $distBits) (i32.shl (local.get $dist) (i32.const 2)))) (local.get $used))))
          (local.set $used (i64.add (local.get $used)
            (i64.load8_u (i32.add (global.get $distSizes) (local.get $dist)))))
          (if (i64.ge_u (local.get $used) (i64.const 32))
            (then
              (i64.store32 (local.get $out) (local.get $buffer))
              (local.set $out (i32.add (local.get $out) (i32.const 4)))
              (local.set $buffer (i64.shr_u (local.get $buffer) (i64.const 32)))
              (local.set $used (i64.sub (local.get $used) (i64.const 32)))))))
      (local.set $token (i32.add (local.get $token) (i32.const 8)))
      (br_if $tokens (i32.lt_u (local.get $token) (local.get $tokensEnd))))
    ;; The end, and three bits of an empty block; up to 49 bits, of which whole bytes are written.
    (local.set $code (i32.load offset=1024 (global.get $litCodes)))
    (local.set $buffer (i64.or (local.get $buffer)
      (i64.shl (i64.extend_i32_u (i32.and (local.get $code) (i32.const 0xffff))) (local.get $used))))
    (local.set $used (i64.add (local.get $used) (i64.extend_i32_u (i32.add (i32.shr_u (local.get $code) (i32.const 16)) (i32.const 3)))))
    (i64.store (local.get $out) (local.get $buffer))
    (local.set $out (i32.add (local.get $out)
      (i32.wrap_i64 (i64.shr_u (i64.add (local.get $used) (i64.const 7)) (i64.const 3)))))
    (i32.store (local.get $out) (i32.const 0xffff0000))
    (i32.add (local.get $out) (i32.const 4))))
