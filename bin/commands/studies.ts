import type { Config } from '../../engine/model/settings.ts'
import type { Store } from '../../engine/snapshot/snapshots.ts'
import { withStudies } from '../shared/open-studies.ts'
import { heldText } from '../terminal/counts-text.ts'
import { PROGRAM } from '../terminal/program-name.ts'

/** Runs `gazette studies`: prints a line per study. */
export function studies(config: Config): Promise<void> {
  return withStudies(config, (store) => listStudies(store, config.storeUrl === '' ? config.dataDir : 'the store'))
}

async function listStudies(store: Store, place: string): Promise<void> {
  const ids = await store.studyIds()
  if (ids.length === 0)
    console.error(`There is no study in ${place} yet: ${PROGRAM} import DIR imports one, ${PROGRAM} demo creates one.`)
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
