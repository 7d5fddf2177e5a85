import crypto from 'node:crypto'
import fs from 'node:fs'
import promises from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import timers from 'node:timers/promises'
import type { Disk } from './disk.ts'
import type { Random } from './random.ts'
import { sleep } from './timeline.ts'

type Call = (...given: never[]) => unknown
type Calls = Record<string, Call>

/**
 * Replaces the real disk, waiting and chance for the code of this process: calls of Node's modules with paths of the
 * simulated disk go there, all others are unchanged.
 *
 * @returns what undoes it
 */
export function seize(disk: Disk, random: Random): () => void {
  const bytesOf = (length: number) => Buffer.from(Array.from({ length }, () => random.below(256)))
  const undo = [
    replace(promises as unknown as Calls, ledTo(promises as unknown as Calls, disk.promises, disk.isOn)),
    replace(fs as unknown as Calls, ledTo(fs as unknown as Calls, disk.sync, disk.isOn)),
    replace(timers as unknown as Calls, { setTimeout: sleep as Call }),
    replace(Math as unknown as Calls, { random: random.next }),
    replace(crypto as unknown as Calls, {
      randomBytes: bytesOf as Call,
      randomUUID: () =>
        bytesOf(16)
          .toString('hex')
          .replace(/^(.{8})(.{4}).(.{3}).(.{3})/, '$1-$2-4$3-8$4-'),
    }),
  ]
  syncBuiltinESMExports()
  return () => {
    for (const each of undo) each()
    syncBuiltinESMExports()
  }
}

function replace(module: Calls, by: Calls): () => void {
  const before = Object.fromEntries(Object.keys(by).map((name) => [name, module[name]]))
  Object.assign(module, by)
  return () => void Object.assign(module, before)
}

/** Returns the calls of a module that may be about a path, with those on the simulated disk led to `calls`. */
function ledTo(actual: Calls, calls: Calls, isOn: (first: unknown) => boolean): Calls {
  const functions = Object.entries(actual).filter(([name, call]) => typeof call === 'function' && /^[a-z]/.test(name))
  return Object.fromEntries(
    functions.map(([name, call]) => [
      name,
      (...given: never[]) => {
        // A link's first argument is where it leads, from where it is.
        if (!isOn(given[name.startsWith('symlink') ? 1 : 0])) return call(...given)
        if (!calls[name]) throw new Error(`the simulated disk has no ${name}`)
        return calls[name](...given)
      },
    ]),
  )
}
