import type { Config } from '../../engine/model/settings.ts'
import { exitAtOnce } from './end-process.ts'
import { isByNohup, isOnItsOwn, watchedParent } from './parents.ts'
import { onStopSignal, STOP_SIGNALS, type StopSignal } from './stop-signals.ts'
import { takeOverStop } from './stoppable.ts'

const LOOK_EVERY_MS = 250

/**
 * Waits for a signal that stops the program, or for the end of the process that started it. A second signal ends the
 * process at once.
 *
 * @returns SIGTERM also for the end of the parent
 */
export function untilStopped(config: Pick<Config, 'detached' | 'tlsCertFile'>): Promise<StopSignal> {
  // A server with a certificate rereads it on SIGHUP.
  const isHangupKept = config.detached || config.tlsCertFile !== ''
  if (isHangupKept) process.on('SIGHUP', () => {})
  const signals = STOP_SIGNALS.filter((signal) => signal !== 'SIGHUP' || !isHangupKept)
  return new Promise((resolve) => {
    const ignoreParent = onParentEnd(config, () => resolve('SIGTERM'))
    const stop = (signal: StopSignal) => {
      ignoreParent()
      resolve(signal)
    }
    onStopSignal(stop, () => exitAtOnce(1), signals)
    takeOverStop()
  })
}

/**
 * Calls `stop` when the process that started this one has ended, unless this one is a service.
 *
 * @returns a function that stops looking
 */
export function onParentEnd({ detached }: Pick<Config, 'detached'>, stop: () => void): () => void {
  if (detached || isByNohup(process.env) || isOnItsOwn(process.env)) return () => {}
  const runs = watchedParent(process.env)
  const look = setInterval(() => {
    if (runs()) return
    clearInterval(look)
    console.error('gazette: the process that started this one has ended, so this one stops, too')
    stop()
  }, LOOK_EVERY_MS).unref()
  return () => clearInterval(look)
}
