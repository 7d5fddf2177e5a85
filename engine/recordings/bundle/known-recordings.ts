import { refusal } from '../../model/bundle-problems.ts'
import { type Draft, noteDoubt, participantName } from '../draft/draft.ts'
import { shortened } from '../draft/note-texts.ts'
import type { ContinuedStudy } from './continued-study.ts'
import { type Fingerprints, openFingerprints } from './fingerprints.ts'
import { likenessOf, type Print } from './same-recordings.ts'
import type { Tallies } from './spool-samples.ts'

/** Thrown if the study already has every given recording. @param what names them */
export class NothingNew extends Error {
  constructor(what: string) {
    super(`the study already has ${what}`)
  }
}

/** Numbers by which a test may be one of the study's. */
type Kind = { item: string; samples: number; seen: number; lastMs: number }

/** Number of tests of a study with the same numbers, above which only those of the same item are read. */
const ALIKE_MAX = 2000

/**
 * Finds the tests that the study has already, under whatever name: with as many samples with and without gaze, as long,
 * and with the same positions. The draft notes whose they are.
 *
 * @param dropped tests that are not kept; gets those
 * @throws NothingNew if the study has all of them; ServiceError invalid_bundle, naming the file and the person, for a
 * test of which the study has another version
 */
export async function findKnown(
  draft: Draft,
  { prints, tests: { lastMs } }: Pick<Tallies, 'prints' | 'tests'>,
  dropped: Set<number>,
  study: Pick<ContinuedStudy, 'tests' | 'participants' | 'gazeOf'>,
): Promise<void> {
  const stored = openStored(study)
  const found = new Map<string, Set<string>>()
  for (const [test, { participant, item, onsetMs }] of draft.tests.entries()) {
    if (dropped.has(test)) continue
    const { samples, lost } = prints.countsOf(test)
    const seen = samples - lost
    const kind = { item: draft.items[item].filename, samples, seen, lastMs: Math.max(0, lastMs[test] - onsetMs) }
    const own = printOf(prints, test)
    for (const other of seen === 0 ? [] : stored.alike(kind)) {
      const likeness = likenessOf(own, await stored.printOf(other))
      if (likeness === 'none') continue
      const person = stored.nameOf(other)
      const { item: there } = study.tests[other]
      const { file } = draft.tests[test]
      if (likeness === 'other version')
        throw refusal(file, `holds the same recording of ${person} at ${there} as the study, with different samples`)
      dropped.add(test)
      const said = `${participantName(draft.participants[participant])} (${file}) as ${person}`
      found.set(said, (found.get(said) ?? new Set()).add(there))
      break
    }
  }
  if (found.size === 0) return
  const texts = [...found].map(([said, items]) => `${said} at ${shortened([...items])}`)
  if (dropped.size === draft.tests.length) throw new NothingNew(shortened(texts, '; '))
  noteDoubt(draft, `the study has recordings already, which count once: ${shortened(texts, '; ')}`)
}

/** Opens the tests of a study, each of which is read at most once. */
function openStored({ tests, participants, gazeOf }: Pick<ContinuedStudy, 'tests' | 'participants' | 'gazeOf'>) {
  const byKey = new Map<string, number[]>()
  for (const [i, test] of tests.entries()) {
    const ofKey = byKey.get(keyOf(test)) ?? []
    ofKey.push(i)
    byKey.set(keyOf(test), ofKey)
  }
  const names = new Map(participants.map(({ id, name }) => [id, name]))
  const read = new Map<number, Print>()
  return {
    alike: (kind: Kind) => {
      const all = byKey.get(keyOf(kind)) ?? []
      return all.length > ALIKE_MAX ? all.filter((i) => tests[i].item === kind.item) : all
    },
    nameOf: (test: number) => names.get(tests[test].participantId) || tests[test].participantId,
    printOf: async (test: number): Promise<Print> => {
      const known = read.get(test) ?? storedPrint(await gazeOf(test))
      read.set(test, known)
      return known
    },
  }
}

function storedPrint({ n, tUs, gazeXPx, gazeYPx }: Awaited<ReturnType<ContinuedStudy['gazeOf']>>): Print {
  const prints = openFingerprints()
  prints.take({ n, test: new Int32Array(n), tMs: tUs.map((us) => us / 1000), gazeXPx, gazeYPx })
  return printOf(prints, 0)
}

function printOf(prints: Fingerprints, test: number): Print {
  return { digest: prints.digestOf(test, false), sketch: prints.sketchOf(test).slice() }
}

const keyOf = ({ samples, seen, lastMs }: Omit<Kind, 'item'>) => `${samples} ${seen} ${Math.round(lastMs)}`
