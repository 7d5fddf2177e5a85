import { useEffect } from 'preact/hooks'
import { countOf, bytes as sizeText } from '../../../core/number-texts.ts'
import { Button } from '../../../ui/controls/button.tsx'
import { Panel } from '../../../ui/controls/panel.tsx'
import { PickFiles } from '../../../ui/controls/pick-files.tsx'
import { DropTarget, takeDropped } from '../../../ui/drop-target.tsx'
import { Trouble } from '../../../ui/waiting/states.tsx'
import { readEntries, readInput } from './read-drop.ts'
import { SentBefore } from './sent-before.tsx'
import { type Sending, type SentFile, useSending } from './use-sending.ts'

/** Draws the drop zone and file pickers, and the upload progress. */
export function FilesStep({ onSent }: { onSent: (files: SentFile[], notes: string[]) => void }) {
  const { sending, refusal, take, pause, goOn, cancel } = useSending(onSent)
  const drop = (entries: FileSystemEntry[]) => {
    if (entries.length > 0) void take(() => readEntries(entries))
  }
  useEffect(() => drop(takeDropped()), [])
  const pick = (input: HTMLInputElement) => {
    if (input.files !== null && input.files.length > 0) void take(() => readInput(input.files!))
  }
  return (
    <Panel title="1. Files" id="files">
      <DropTarget onDrop={drop} />
      {sending === null ? (
        <>
          <div class="drop-zone">
            <p>
              <strong>Drop files or a folder here</strong>
            </p>
            <p class="row">
              <PickFiles label="Choose files" class="primary" isMany onPick={pick} />
              <PickFiles label="Choose a folder" isMany isFolder onPick={pick} />
            </p>
            <p class="hint">
              Files of an eye tracker or a platform, tables with one row per sample (CSV, TSV, XLSX), or a study bundle;
              also as zip or tar. They are sent to this server and checked. Nothing is imported before you confirm.
            </p>
          </div>
          {refusal !== null && (
            <div class="trouble" role="alert">
              <p>{refusal}</p>
            </div>
          )}
          <SentBefore onTake={onSent} />
        </>
      ) : (
        <>
          <SendingFiles sending={sending} pause={pause} goOn={goOn} cancel={cancel} />
          {sending.state === 'refused' && <SentBefore onTake={onSent} />}
        </>
      )}
    </Panel>
  )
}

const STATES: Record<Sending['state'], string> = {
  running: 'Sending',
  waiting: 'Connection lost; retrying',
  paused: 'Paused',
  lost: 'Connection lost. The server keeps the received bytes; press Resume to send the rest.',
  refused: 'Stopped',
}

type SendingFilesProps = { sending: Sending; pause: () => void; goOn: () => void; cancel: () => void }

function SendingFiles({
  sending: { parcels, notes, totalBytes, sentBytes, state, problem },
  pause,
  goOn,
  cancel,
}: SendingFilesProps) {
  const percent = totalBytes === 0 ? 0 : Math.floor((100 * sentBytes) / totalBytes)
  const files = parcels.flatMap((parcel) => parcel.files)
  const isGoing = state === 'running' || state === 'waiting'
  return (
    <div class="sending" data-state={state}>
      <p>
        <bdi>{parcels.map(({ name }) => name).join(', ')}</bdi> · {countOf(files.length, 'file')},{' '}
        {sizeText(totalBytes)}
      </p>
      <progress max={100} value={percent} aria-label="Progress of the upload">
        {percent} %
      </progress>
      <p class="hint" role="status">
        {STATES[state]}: {percent} %, {sizeText(sentBytes)} of {sizeText(totalBytes)}
      </p>
      {problem !== null && state === 'refused' && <Trouble problem={problem} />}
      <Notes notes={notes} />
      <p class="row">
        {isGoing ? (
          <Button onClick={pause}>Pause</Button>
        ) : (
          <Button class="primary" onClick={goOn}>
            {state === 'refused' ? 'Try again' : 'Resume'}
          </Button>
        )}
        <Button onClick={cancel}>Choose other files</Button>
      </p>
    </div>
  )
}

function Notes({ notes }: { notes: string[] }) {
  return notes.length === 0 ? null : (
    <ul class="bulleted hint">
      {notes.map((note) => (
        <li key={note}>{note}</li>
      ))}
    </ul>
  )
}
