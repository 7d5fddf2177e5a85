import { itemsInOrder } from '../../model/output-order.ts'
import type { Item, Participant, Study } from '../../model/study.ts'
import { distinctNames } from '../../text/distinct-names.ts'

/**
 * A BIDS label is letters and digits, and no two of a dataset differ in case alone: not every file system would keep
 * them apart.
 */
const LABEL = /^[0-9A-Za-z]{1,64}$/

/**
 * Returns the `sub-<label>` of each participant: external ids if all of them can be labels, otherwise numbers in the
 * order of output. The two are never mixed, so that nobody mistakes a number for an external id.
 *
 * @returns labels by participant id
 */
export function subjectLabels(participants: Participant[]): Map<string, string> {
  const own = participants.map(({ externalId }) => externalId.replace(/^sub-/, ''))
  const distinct = new Set(own.map((label) => label.toLowerCase()))
  const areLabels = own.every((label) => LABEL.test(label)) && distinct.size === own.length
  const digits = Math.max(3, String(participants.length).length)
  const numbers = participants.map((_, i) => String(i + 1).padStart(digits, '0'))
  return new Map(participants.map(({ id }, i) => [id, areLabels ? own[i] : numbers[i]]))
}

/**
 * Returns the `task-<label>` of each item: letters and digits of its file name without its ending, followed by a number
 * where that is empty or taken.
 *
 * @returns labels by item id
 */
export function taskLabels(study: Study): Map<string, string> {
  const items = itemsInOrder(study)
  const bases = items.map(({ filename }) => {
    const plain = filename.normalize('NFKD').replace(/\.[^.]*$/, '')
    return plain.replace(/[^0-9A-Za-z]/g, '').slice(0, 48) || 'item'
  })
  const labels = distinctNames(bases, (base, n) => (n === 1 ? base : `${base}x${n}`))
  return new Map(items.map(({ id }, i) => [id, labels[i]]))
}

/** Returns a file name as a cell of a TSV. */
export function cellOf({ filename }: Item): string {
  return filename.replace(/\s+/g, ' ').trim() || 'n/a'
}
