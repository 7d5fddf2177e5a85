import type { Config } from '../../engine/model/settings.ts'
import type { Studies } from '../../engine/snapshot/snapshots.ts'
import { closing } from '../../engine/storage/concurrency/closing.ts'
import { openHome } from '../../engine/study/bucket/open-home.ts'
import type { Home } from '../../engine/study/home.ts'

/** Runs `work` with the studies that a command reads. @param signal aborts requests to STORE_URL */
export async function withStudies<T>(
  config: Config,
  work: (studies: Studies) => Promise<T>,
  signal?: AbortSignal,
): Promise<T> {
  return withHome(config, ({ studies }) => work(studies), signal)
}

/** Runs `work` with the installation of a command. @param signal aborts requests to STORE_URL */
export async function withHome<T>(config: Config, work: (home: Home) => Promise<T>, signal?: AbortSignal): Promise<T> {
  return closing(await openHome(config, signal), (home) => work(home))
}
