import { useEffect, useRef, useState } from 'preact/hooks'
import { type Problem, problemFrom } from '../../../core/api.ts'
import { namedVideos } from './named-videos.ts'
import { type Packed, type Parcel, packFiles } from './pack.ts'
import { CannotTake, type Chosen } from './read-drop.ts'
import { deleteUpload, type Sent, sendParcel } from './send.ts'

/** Complete file on the server. */
export type SentFile = { id: string; name: string; bytes: number }

export type Sending = {
  parcels: Parcel[]
  notes: string[]
  /** Bytes of all parcels, and how many of them are uploaded. */
  totalBytes: number
  sentBytes: number
  state: 'running' | 'waiting' | 'paused' | 'lost' | 'refused'
  problem: Problem | null
}

/** Uploads chosen files, one parcel after the other; a paused or interrupted upload can be resumed. */
export function useSending(onSent: (files: SentFile[], notes: string[]) => void) {
  const [sending, setSending] = useState<Sending | null>(null)
  /** Reason why the chosen files are refused. */
  const [refusal, setRefusal] = useState<string | null>(null)
  const stop = useRef<AbortController | null>(null)
  const done = useRef<SentFile[]>([])
  useEffect(() => () => stop.current?.abort(), [])

  const send = async (packed: Packed) => {
    stop.current?.abort()
    const controller = new AbortController()
    stop.current = controller
    const { parcels, notes } = packed
    const totalBytes = parcels.reduce((sum, { bytes }) => sum + bytes.size, 0)
    const begun = { parcels, notes, totalBytes, state: 'running', problem: null } as const
    const show = (now: Partial<Sending>) => {
      if (stop.current === controller) setSending((before) => ({ sentBytes: before?.sentBytes ?? 0, ...begun, ...now }))
    }
    done.current = []
    show({})
    try {
      await sendAll(parcels, done.current, controller.signal, show)
    } catch (error) {
      if (controller.signal.aborted) return
      if (error instanceof CannotTake) {
        setRefusal(error.message)
        return setSending(null)
      }
      const problem = problemFrom(error)
      return show({ state: problem.status === 0 ? 'lost' : 'refused', problem })
    }
    if (stop.current === controller) onSent(done.current, notes)
  }

  const take = async (choose: () => Chosen | Promise<Chosen>) => {
    setRefusal(null)
    try {
      const chosen = await choose()
      await send(packFiles(chosen, await namedVideos(chosen.files)))
    } catch (error) {
      if (!(error instanceof CannotTake)) throw error
      setRefusal(error.message)
    }
  }
  const pause = () => {
    stop.current?.abort()
    setSending((before) => before && { ...before, state: 'paused' })
  }
  const goOn = () => {
    if (sending !== null) void send(sending)
  }
  /** Stops, and deletes the uploaded parts. */
  const cancel = async () => {
    stop.current?.abort()
    setSending(null)
    for (const { id } of done.current) await deleteUpload(id).catch(() => {})
  }
  useOnline(sending?.state === 'lost', goOn)
  return { sending, refusal, take, pause, goOn, cancel }
}

/** Goes on when the network is back. */
function useOnline(isLost: boolean, goOn: () => void): void {
  useEffect(() => {
    if (!isLost) return
    window.addEventListener('online', goOn)
    return () => window.removeEventListener('online', goOn)
  }, [isLost])
}

/** Sends parcels one after the other. @param done gets each complete file */
async function sendAll(
  parcels: Parcel[],
  done: SentFile[],
  signal: AbortSignal,
  show: (now: Pick<Sending, 'sentBytes' | 'state'>) => void,
): Promise<void> {
  for (const parcel of parcels) {
    const before = done.reduce((sum, { bytes }) => sum + bytes, 0)
    const tell = ({ bytes, isWaiting }: Sent) =>
      show({ sentBytes: before + bytes, state: isWaiting ? 'waiting' : 'running' })
    const id = await sendParcel(parcel, signal, tell)
    done.push({ id, name: parcel.name, bytes: parcel.bytes.size })
  }
}
