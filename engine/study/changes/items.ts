import { extname, join } from 'node:path'
import { addProblem, newReport, type Report, throwReport } from '../../model/bundle-problems.ts'
import { itemShownBy } from '../../model/output-order.ts'
import type { Item, Snapshot, Study } from '../../model/study.ts'
import type { Image } from '../parent-snapshot.ts'

/** Changes of a study's name, project and archiving, and of the names, order and number of its items. */
export type Renaming = {
  name?: string
  isArchived?: boolean
  /** null takes it out of its project. */
  project?: string | null
  /** All items that stay, in their new order; one without a name keeps its own. */
  items?: { id: string; filename?: string }[]
}

/**
 * Returns a study with other names and items. An item that is left out goes, with its AOIs and the steps that show it.
 *
 * @throws ServiceError invalid_bundle where there is no such item, or two would have one name
 */
export function renamed(present: Study, { name = present.name, items: wanted, ...renaming }: Renaming): Study {
  const { isArchived: wasArchived = false, project: former = null, ...rest } = present
  const { isArchived = wasArchived, project = former } = renaming
  const study: Study = {
    ...rest,
    ...(isArchived ? { isArchived: true } : {}),
    ...(project === null ? {} : { project }),
  }
  if (wanted === undefined) return { ...study, name }
  const known = new Map(study.items.map((item) => [item.id, item]))
  const report = newReport()
  const items = wanted.flatMap(({ id, filename }, i): Item[] => {
    const item = known.get(id.toLowerCase())
    if (item === undefined) tell(report, `items[${i}].id`, id, 'must be an item of the study, named once')
    known.delete(id.toLowerCase())
    return item === undefined ? [] : [{ ...item, filename: filename ?? item.filename }]
  })
  const before = new Map(study.items.map(({ id, filename }) => [id, filename]))
  for (const [i, { id, filename }] of items.entries())
    if (filename !== before.get(id) && items.some((other) => other.id !== id && other.filename === filename))
      tell(report, `items[${i}].filename`, filename, 'must not be the name of another item')
  throwReport(report, 'the body')
  const stays = new Set(items.map(({ id }) => id))
  const isKept = (step: unknown) => {
    const id = itemShownBy(step)
    return id === null || stays.has(id)
  }
  return {
    ...study,
    name,
    items,
    aois: study.aois.filter(({ itemId }) => stays.has(itemId)),
    steps: study.steps.filter(isKept),
  }
}

/**
 * Returns the pictures of a study's items by the names that the items have in another description of it.
 *
 * @throws ServiceError invalid_bundle where a name has another ending than the picture
 */
export function picturesRenamed({ study, manifest, directory }: Snapshot, after: Study): Image[] {
  const before = new Map(study.items.map(({ id, filename }) => [id, filename]))
  const report = newReport()
  const images = new Map<string, Image>()
  for (const [i, { id, filename: name }] of after.items.entries()) {
    const file = `images/${before.get(id)}`
    if (manifest.files[file] === undefined) continue
    if (extname(name).toLowerCase() !== extname(file).toLowerCase())
      tell(report, `items[${i}].filename`, name, `must end in ${extname(file)}, as the picture of the item`)
    images.set(name, { name, path: join(directory, file), sha256: manifest.files[file] })
  }
  throwReport(report, 'the body')
  return [...images.values()]
}

function tell(report: Report, column: string, value: string, rule: string): void {
  addProblem(report.study, { file: 'body', line: null, column, value, rule })
}
