import { type DrawnAois, drawnAois } from '../exports/columns/drawn-aois.ts'
import type { Aoi, Study } from '../model/study.ts'
import { type Failed, failed, transfer } from '../run/pool/thread-answers.ts'
import { openSnapshot } from '../snapshot/snapshots.ts'
import type { GivenParticipant } from '../snapshot/table-columns.ts'
import { type Address, openPlace } from '../study/bucket/open-home.ts'
import { type Change, type Changing, changeStudy } from '../study/change-study.ts'
import { attributes } from '../study/changes/attributes.ts'
import { creation } from '../study/changes/creation.ts'
import { description, type Impact } from '../study/changes/description.ts'
import { picturesRenamed, type Renaming } from '../study/changes/items.ts'
import { type GivenPicture, picture } from '../study/changes/picture.ts'
import { removal } from '../study/changes/removal.ts'
import { undo } from '../study/changes/undo.ts'
import type { StudyPlace } from '../study/place.ts'
import { readArrival } from './arrivals/read-arrival.ts'
import type { BodyKind } from './arrivals/read-body.ts'
import { withBoxes } from './read-boxes.ts'
import { readDescription, withAbout, withAois, withRenaming } from './read-description.ts'

/** A validated description of a study. @property json in memory of its own, which can be transferred */
export type StudyAsJson = { id: string; project?: string; json: Uint8Array }

/** A requested change as plain data, which can be passed to a thread. */
export type AskedChange =
  | { kind: 'creation' | 'description'; described: StudyAsJson }
  | { kind: 'about'; bytes: Uint8Array }
  | { kind: 'aois' | 'boxes'; itemId: string; bytes: Uint8Array }
  | { kind: 'renaming'; renaming: Renaming; removesTests: boolean }
  | ({ kind: 'picture'; content: { bytes: Uint8Array } | { path: string; sha256: string } } & Omit<
      GivenPicture,
      'content'
    >)
  | { kind: 'attributes'; participantId: string; attributes: Partial<GivenParticipant> }
  | { kind: 'removal'; participantId: string }
  | { kind: 'undo' }

/** A change of a study for the thread: it names the study's location instead of open handles. */
export type ThreadChanging = Omit<Changing, 'place' | 'dataDir'> & { address: Pick<Address, 'dataDir' | 'storeUrl'> }

/** Cache of opened homes in this thread, by address. */
const places = new Map<string, Promise<StudyPlace>>()

function placeOf(address: ThreadChanging['address']): Promise<StudyPlace> {
  const key = `${address.storeUrl} ${address.dataDir}`
  const known = places.get(key)
  if (known !== undefined) return known
  const opening = openPlace(address)
  places.set(key, opening)
  opening.catch(() => places.delete(key))
  return opening
}

/**
 * Result of a change.
 *
 * @property snapshotId the current snapshot
 * @property impact of a description or AOIs
 * @property aois of an item after a table of boxes; null after other changes
 */
export type DoneChange = { snapshotId: string; impact: Impact | null; aois: Aoi[] | null }

/** Tasks that this thread runs. */
const WORK = {
  readArrival: (bytes: Uint8Array, kind: BodyKind) => readArrival(bufferOf(bytes), kind),
  describe: (bytes: Uint8Array): StudyAsJson => {
    const study = readDescription(bufferOf(bytes))
    const project = study.project === undefined ? {} : { project: study.project }
    return { id: study.id, ...project, json: new TextEncoder().encode(JSON.stringify(study)) }
  },
  drawAois: async (snapshotDir: string, itemId: string, bytes: Uint8Array): Promise<DrawnAois> => {
    const study = withAois((await openSnapshot(snapshotDir)).study, itemId, bufferOf(bytes))
    return drawnAois(study, study.items.find(({ id }) => id === itemId)!)
  },
  change: async (
    { address, ...changing }: ThreadChanging,
    ifMatch: string | null,
    asked: AskedChange,
  ): Promise<DoneChange> => {
    const told: Pick<DoneChange, 'impact' | 'aois'> = { impact: null, aois: null }
    const change = changeOf(asked, told)
    const place = await placeOf(address)
    const { currentId } = await changeStudy({ ...changing, dataDir: address.dataDir, place }, ifMatch, change)
    return { snapshotId: currentId!, ...told }
  },
}
export type ThreadWork = typeof WORK

/** @param told gets what the change means, before anything is published */
function changeOf(asked: AskedChange, told: Pick<DoneChange, 'impact' | 'aois'>): Change {
  const onImpact = (impact: Impact) => {
    told.impact = impact
  }
  switch (asked.kind) {
    case 'creation':
      return creation(studyOf(asked.described))
    case 'description':
      return description(() => studyOf(asked.described), onImpact)
    case 'aois':
      return description((present) => withAois(present, asked.itemId, bufferOf(asked.bytes)), onImpact)
    case 'boxes':
      return description(async (present) => {
        const next = await withBoxes(present, bufferOf(asked.bytes), 'the body', asked.itemId)
        told.aois = next.aois.filter(({ itemId }) => itemId === asked.itemId)
        return next
      }, onImpact)
    case 'about':
      return description((present) => withAbout(present, bufferOf(asked.bytes)), onImpact)
    case 'picture': {
      const { content } = asked
      return picture({ ...asked, content: 'bytes' in content ? { bytes: bufferOf(content.bytes) } : content })
    }
    case 'renaming':
      return description((present) => withRenaming(present, asked.renaming), onImpact, {
        picturesOf: picturesRenamed,
        removesTests: asked.removesTests,
      })
    case 'undo':
      return undo()
    case 'attributes':
      return attributes(asked.participantId, asked.attributes)
    case 'removal':
      return removal(asked.participantId)
  }
}

/** Returns the memory in a result that is transferred instead of copied. */
const HANDED: { [K in keyof ThreadWork]?: (part: Awaited<ReturnType<ThreadWork[K]>>) => ArrayBufferView[] } = {
  readArrival: ({ tests }) =>
    tests.flatMap(({ samples: { n: _, eyes = {}, ...columns } }) => [
      ...Object.values(columns),
      ...Object.values(eyes),
    ]),
  describe: ({ json }) => [json],
}

/** Runs one of these tasks. */
export async function doInThread({ work, args }: { work: keyof ThreadWork; args: never }): Promise<unknown | Failed> {
  try {
    const part = await (WORK[work] as (...args: unknown[]) => unknown)(...(args as unknown[]))
    const handed = HANDED[work]?.(part as never) ?? []
    return transfer({ part }, [...new Set(handed.map(({ buffer }) => buffer as ArrayBuffer))])
  } catch (error) {
    return failed(error)
  }
}

const bufferOf = ({ buffer, byteOffset, byteLength }: Uint8Array) => Buffer.from(buffer, byteOffset, byteLength)
const studyOf = ({ json }: StudyAsJson) => JSON.parse(bufferOf(json).toString()) as Study
