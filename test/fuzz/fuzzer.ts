import { pick, type Random, wholeBetween } from '../../demo/random.ts'
import { ServiceError } from '../../engine/model/errors.ts'

/**
 * One kind of hostile input: makes it from a stream of random numbers and from nothing else, feeds it to the program,
 * and throws where something must not be so. `tell` takes the input in words, for where a round throws.
 */
export type Fuzzer = {
  name: string
  open: () => Promise<{ round: Round; close: () => Promise<void> }>
}
export type Round = (random: Random, tell: (input: string) => void) => Promise<void>

const TOLD_MAX = 4000

/** Returns bytes as a failure prints them. */
export function shown(bytes: Buffer): string {
  const base64 = bytes.toString('base64')
  return base64.length > TOLD_MAX ? `${bytes.length} bytes, base64 ${base64.slice(0, TOLD_MAX)}…` : `base64 ${base64}`
}

/** Refusals that blame the input; every other error is a bug, or a shortage that this input must not cause. */
export async function refusalOf(work: () => Promise<unknown>): Promise<ServiceError | null> {
  try {
    await work()
    return null
  } catch (error) {
    if (error instanceof ServiceError && ['invalid_bundle', 'usage', 'not_found'].includes(error.code)) {
      if (/\n {4}at |\/tmp\/|SELECT /.test(error.message)) throw new Error(`it tells too much: ${error.message}`)
      return error
    }
    throw error
  }
}

export function claim(isTrue: boolean, what: string): asserts isTrue {
  if (!isTrue) throw new Error(what)
}

/** Texts that something once took for more than text. */
export const NASTY = [
  ...[
    '',
    ' ',
    '\0',
    '\ufeff',
    '"',
    '""',
    '"x',
    "'",
    '\\',
    ',',
    ';',
    '\t',
    '\r',
    '\n',
    '\r\n',
    '\u2028',
    '\u202e',
    '\ud800',
  ],
  ...['-0', '1e308', '1e309', '-1e-320', '0x10', 'NaN', 'Infinity', '-inf', 'null', 'NA', '1,5', '1_000', '９', '٣'],
  ...[
    '9'.repeat(400),
    '1'.repeat(20),
    '0.1'.repeat(9),
    `${'a'.repeat(70_000)}`,
    '[1,2',
    '{"a":',
    '[[[[[[',
    '<img src=',
    '(a+)+$',
  ],
  ...[
    '__proto__',
    'constructor',
    'toString',
    '../..',
    '/etc/passwd',
    'a=1',
    '*',
    '?',
    '[a-z]',
    '%00',
    '%2e%2e%2f',
    '$1',
    "' OR 1=1 --",
  ],
  ...[
    '=1+1',
    '@x',
    '2024-02-30T25:61:61Z',
    '0000-00-00T00:00:00Z',
    '研究',
    '😀',
    'true',
    'TRUE',
    '-1',
    '00000000-0000-0000-0000-000000000000',
  ],
]

/**
 * Damages bytes as disks, networks and people do: some times flips, overwrites, cuts out, repeats, swaps or inserts.
 */
export function damageBytes(random: Random, bytes: Buffer): Buffer {
  let damaged = Buffer.from(bytes)
  for (let times = wholeBetween(random, 1, 6); times > 0; times--) {
    const at = wholeBetween(random, 0, damaged.length)
    const end = Math.min(damaged.length, at + wholeBetween(random, 0, pick(random, [1, 8, 64, 4096])))
    const [before, part, after] = [damaged.subarray(0, at), damaged.subarray(at, end), damaged.subarray(end)]
    const kind = wholeBetween(random, 0, 6)
    if (kind === 0 && at < damaged.length) damaged[at] ^= 1 << wholeBetween(random, 0, 7)
    else if (kind === 1) damaged.fill(pick(random, [0, 10, 34, 255]), at, end)
    else if (kind === 2) damaged = Buffer.concat([before, after])
    else if (kind === 3) damaged = Buffer.concat([before, part, part, after])
    else if (kind === 4) damaged = Buffer.concat([before, Buffer.from(pick(random, NASTY)), after])
    else if (kind === 5) damaged = Buffer.from(before)
    else damaged = Buffer.concat([before, Buffer.from(part).reverse(), after])
  }
  return damaged
}

/** Damages a text table as a program with a bug does: cells, lines and columns of it. */
export function damageTable(random: Random, text: string, separator: string): string {
  const lines = text.split('\n')
  for (let times = wholeBetween(random, 1, 4); times > 0; times--) {
    const at = wholeBetween(random, 0, lines.length - 1)
    const cells = lines[at].split(separator)
    const cell = wholeBetween(random, 0, cells.length - 1)
    const kind = wholeBetween(random, 0, 6)
    if (kind <= 2) cells[cell] = pick(random, NASTY)
    else if (kind === 3) cells.splice(cell, 1)
    else if (kind === 4) cells.push(pick(random, NASTY))
    if (kind <= 4) lines[at] = cells.join(separator)
    else if (kind === 5) lines.splice(at, 1)
    else
      lines.splice(
        at,
        0,
        ...Array<string>(wholeBetween(random, 1, 40)).fill(lines[wholeBetween(random, 0, lines.length - 1)]),
      )
    if (lines.length === 0) return ''
  }
  return lines.join(pick(random, ['\n', '\n', '\n', '\r\n', '\r']))
}
