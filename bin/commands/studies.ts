import type { Config } from '../../engine/model/settings.ts'
import { readListed } from '../../engine/snapshot/read-listed.ts'
import type { Studies } from '../../engine/snapshot/snapshots.ts'
import { compareNames } from '../../shared/natural-order.ts'
import { withStudies } from '../shared/open-studies.ts'
import { heldText } from '../terminal/counts-text.ts'
import { PROGRAM } from '../terminal/program-name.ts'

/** Runs `gazette studies`: prints one line for each study, by name, without archived ones unless `--all` is given. */
export function studies({ all = false, config }: { all?: boolean; config: Config }): Promise<void> {
  const none =
    config.storeUrl === ''
      ? `There is no study in ${config.dataDir} yet: ${PROGRAM} import DIR imports one, ${PROGRAM} demo creates one.`
      : `There is no study in the store yet: ${PROGRAM} import DIR imports one, ${PROGRAM} copy --to copies them there.`
  return withStudies(config, (studies) => listStudies(studies, all, none))
}

async function listStudies(studies: Studies, all: boolean, none: string): Promise<void> {
  const { facts: found, damaged } = await readListed(studies, [...(await studies.currents())])
  if (found.length + damaged.length === 0) console.error(none)
  for (const [id, message] of damaged) console.log(`${id}  cannot be read: ${message}`)
  const shown = found.filter(([, { isArchived }]) => all || !isArchived)
  const inOrder = shown.sort(([, one], [, other]) => compareNames(one.name, other.name))
  for (const [id, { name, isArchived, keywords, counts, createdAt }] of inOrder) {
    console.log(`${id}  ${name}${isArchived ? ' (archived)' : ''}`)
    console.log(
      `  ${[heldText(counts), `changed ${createdAt}`, keywords.join(', ')].filter((text) => text !== '').join(' · ')}`,
    )
  }
  const hidden = found.length - shown.length
  if (hidden > 0) console.error(`Archived and not listed: ${hidden}; --all lists all.`)
}
