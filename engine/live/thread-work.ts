import { type DrawnAois, drawnAois } from '../exports/columns/drawn-aois.ts'
import type { Study } from '../model/study.ts'
import { type Failed, failed, transfer } from '../run/pool/thread-answers.ts'
import { openSnapshot } from '../snapshot/snapshots.ts'
import {
  type Changing,
  changeDescription,
  changeImage,
  changeParticipant,
  createStudy,
  type Target,
} from '../study/change-study.ts'
import { removeParticipant } from '../study/remove-study.ts'
import { readArrival } from './arrivals/read-arrival.ts'
import type { BodyKind } from './arrivals/read-body.ts'
import { readDescription, withAois } from './read-description.ts'

/** The description of a study, checked, for a thread to go on with. @property json in memory of its own */
export type Described = { id: string; json: Uint8Array }

/** What is done on this thread. */
const WORK = {
  readArrival: (bytes: Uint8Array, kind: BodyKind) => readArrival(bufferOf(bytes), kind),
  describe: (bytes: Uint8Array): Described => {
    const study = readDescription(bufferOf(bytes))
    return { id: study.id, json: new TextEncoder().encode(JSON.stringify(study)) }
  },
  drawAois: async (snapshotDir: string, itemId: string, bytes: Uint8Array): Promise<DrawnAois> => {
    const study = withAois((await openSnapshot(snapshotDir)).study, itemId, bufferOf(bytes))
    return drawnAois(study, study.items.find(({ id }) => id === itemId)!)
  },
  createStudy: (described: Described, changing: Changing) => createStudy(studyOf(described), changing),
  replaceDescription: (target: Target, described: Described, changing: Changing & { dryRun: boolean }) =>
    changeDescription(target, () => studyOf(described), changing),
  replaceAois: (target: Target, itemId: string, bytes: Uint8Array, changing: Changing & { dryRun: boolean }) =>
    changeDescription(target, (present) => withAois(present, itemId, bufferOf(bytes)), changing),
  changeImage: (target: Target, itemId: string, bytes: Uint8Array, changing: Changing) =>
    changeImage(target, itemId, bufferOf(bytes), changing),
  changeParticipant,
  removeParticipant,
}
export type ThreadWork = typeof WORK

/** Memory of what comes of some of it, which is handed over. */
const HANDED: { [K in keyof ThreadWork]?: (part: Awaited<ReturnType<ThreadWork[K]>>) => ArrayBufferView[] } = {
  readArrival: ({ tests }) => tests.flatMap(({ samples: { n: _, ...columns } }) => Object.values(columns)),
  describe: ({ json }) => [json],
}

/** Does one of them. */
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
const studyOf = ({ json }: Described) => JSON.parse(bufferOf(json).toString()) as Study
