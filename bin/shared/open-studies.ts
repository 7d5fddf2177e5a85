import type { Config } from '../../engine/model/settings.ts'
import { type Home, openHome } from '../../engine/remote/home.ts'
import type { Studies } from '../../engine/snapshot/snapshots.ts'

/** Runs `work` with the studies that a command reads. @param signal aborts what is asked of STORE_URL */
export async function withStudies<T>(
  config: Config,
  work: (studies: Studies) => Promise<T>,
  signal?: AbortSignal,
): Promise<T> {
  return withHome(config, ({ studies }) => work(studies), signal)
}

/** Runs `work` with the installation that a command works on. @param signal aborts what is asked of STORE_URL */
export async function withHome<T>(config: Config, work: (home: Home) => Promise<T>, signal?: AbortSignal): Promise<T> {
  const home = await openHome(config, signal)
  try {
    return await work(home)
  } finally {
    await home.close()
  }
}
