import { ServiceError } from '../engine/model/errors.ts'

/**
 * Refuses what took its worker down again and again, for example by memory: it would do the same to the next one. A
 * death is a lock that ran out and a try that neither ended nor was handed back; a try beside another, once the queue
 * has lost its jobs, is none.
 *
 * @param stalls how often the queue found the worker's lock expired
 * @param tries begun and neither ended nor handed back, with the present one
 * @throws ServiceError set_aside
 */
export function refuseDeadly(stalls: number, tries: number, deathsMax: number): void {
  if (Math.min(stalls, tries - 1) >= deathsMax)
    throw new ServiceError('set_aside', `the worker died ${deathsMax} times while it was at it`)
}
