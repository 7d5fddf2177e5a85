import { createRandom, uuid } from './random.ts'

/** Ids by index, each kind from a random stream of its own. */
export type DemoIds = Record<
  'item' | 'participant' | 'test' | 'aoi' | 'question' | 'answer',
  (index: number) => string
> & {
  study: string
}

/**
 * Makes the ids of a demo.
 *
 * @param path everything in which demos differ, so that no two of them share an id
 */
export function makeIds(path: number[]): DemoIds {
  const kind = (stream: number) => (index: number) => uuid(createRandom(...path, stream, index))
  return {
    study: uuid(createRandom(...path, 1)),
    item: kind(2),
    participant: kind(3),
    test: kind(4),
    aoi: kind(5),
    question: kind(6),
    answer: kind(7),
  }
}
