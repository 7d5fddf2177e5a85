import { createRandom, randomUuid } from './random.ts'

/** Ids by index, each kind from a random stream of its own. */
export type DemoIds = Record<
  'item' | 'participant' | 'test' | 'aoi' | 'question' | 'answer',
  (index: number) => string
> & {
  study: string
}

/** Makes the ids of a demo. @param path everything in which demos differ, so that no two of them share an id */
export function makeDemoIds(path: number[]): DemoIds {
  const kind = (stream: number) => (index: number) => randomUuid(createRandom(...path, stream, index))
  return {
    study: randomUuid(createRandom(...path, 1)),
    item: kind(2),
    participant: kind(3),
    test: kind(4),
    aoi: kind(5),
    question: kind(6),
    answer: kind(7),
  }
}
