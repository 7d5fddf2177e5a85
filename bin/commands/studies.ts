import type { Config } from '../../engine/model/settings.ts'
import type { Store } from '../../engine/snapshot/snapshots.ts'
import { withStudies } from '../shared/open-studies.ts'
import { heldText } from '../terminal/counts-text.ts'
import { PROGRAM } from '../terminal/program-name.ts'

/** Runs `gazette studies`: prints a line per study. */
export function studies(config: Config): Promise<void> {
  const none =
    config.storeUrl === ''
      ? `There is no study in ${config.dataDir} yet: ${PROGRAM} import DIR imports one, ${PROGRAM} demo creates one.`
      : `There is no study in the store yet: ${PROGRAM} import DIR imports one, ${PROGRAM} copy --to copies them there.`
  return withStudies(config, (store) => listStudies(store, none))
}

async function listStudies(store: Store, none: string): Promise<void> {
  const ids = await store.studyIds()
  if (ids.length === 0) console.error(none)
  for (const id of ids) {
    const snapshot = await store.current(id).catch((error: Error) => error)
    if (snapshot === null) continue
    if (snapshot instanceof Error) {
      console.log(`${id}  cannot be read: ${snapshot.message}`)
      continue
    }
    console.log(`${id}  ${snapshot.study.name}`)
    console.log(`  ${heldText(snapshot.manifest.counts)}`)
  }
}
