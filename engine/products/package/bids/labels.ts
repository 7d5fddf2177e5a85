import { itemsInOrder } from '../../../model/output-order.ts'
import type { Item, Participant, Study } from '../../../model/study.ts'
import { distinctNames } from '../../../text/distinct-names.ts'

/**
 * A BIDS label: letters and digits. No two labels of a dataset differ in case alone, since some file systems ignore
 * case.
 */
const LABEL = /^[0-9A-Za-z]{1,64}$/

/**
 * Assigns a `sub-<label>` to each participant: external ids if all are valid labels, otherwise numbers in output order.
 * The two are never mixed, so a number cannot be mistaken for an external id.
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
 * Assigns a `task-<label>` to each item: letters and digits of its file name without the extension, followed by a
 * number if that is empty or taken.
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

/** Formats a file name as a TSV cell. */
export function stimulusCell({ filename }: Item): string {
  return filename.replace(/\s+/g, ' ').trim() || 'n/a'
}
