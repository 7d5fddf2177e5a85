import type { ComponentChildren } from 'preact'
import { commandLine, type Operations, type Session } from '../../core/api.ts'
import { bytes, countOf, wholeText } from '../../core/number-texts.ts'
import { useData } from '../../core/use-data.ts'
import { useTitle } from '../../core/use-title.ts'
import { Panel } from '../../ui/controls/panel.tsx'
import { Await } from '../../ui/waiting/states.tsx'
import { HourFigure } from './hour-figure.tsx'
import { JobsPart } from './jobs-part.tsx'
import './operations.css'
import { QueueControls } from './queue-controls.tsx'

const MIB = 2 ** 20
const LOOK_EVERY_MS = 2000
const QUEUES: Record<string, string> = {
  embedded: 'embedded in this process',
  redis: 'on Redis',
  postgres: 'on PostgreSQL',
}

/** Draws the operator's page: health with remedies, the last hour, and all jobs. */
export function OperationsPage({ session }: { session: Session }) {
  const state = useData<Operations>('/api2/operations', LOOK_EVERY_MS)
  useTitle('Operations')
  return (
    <>
      <div class="page-head">
        <h1>Operations</h1>
        <p class="row">
          <a class="button" href="/ops/queues" target="_blank" rel="noopener">
            Queues (Bull Board)
          </a>
          <a class="button" href="/ops/metrics" target="_blank" rel="noopener">
            Metrics
          </a>
        </p>
      </div>
      <Await loaded={state} what="the state">
        {(now) => <Tiles now={now} mayControl={session.token?.studies === 'all'} onChanged={state.retry} />}
      </Await>
      <p class="hint">
        {countOf(LOOK_EVERY_MS / 1000, 'second')} between updates. Numbers of this server; all servers share the queue.
      </p>
      <HourFigure version={session.version} />
      <JobsPart onChanged={state.retry} />
    </>
  )
}

function Tiles({ now, mayControl, onChanged }: { now: Operations; mayControl: boolean; onChanged: () => void }) {
  return (
    <div class="tiles">
      <QueueTile now={now} mayControl={mayControl} onChanged={onChanged} />
      <Tile
        title="Workers"
        isWell={now.workers.connected !== 0}
        advice={`No worker is connected. Start one with ${commandLine.program} work, or run ${commandLine.program} start.`}
      >
        <dl class="pairs">
          <Pair
            label="connected"
            value={now.workers.connected === null ? 'unknown' : wholeText(now.workers.connected)}
          />
          <Pair label="jobs at a time, each" value={wholeText(now.workers.concurrencyEach)} />
        </dl>
      </Tile>
      <Tile
        title="Disk"
        isWell={now.disk.isEnough}
        advice="New jobs are refused until space is free: delete exports that nobody needs, or lower EXPORTS_MAX_GIB."
      >
        <dl class="pairs">
          <Pair label="free" value={now.disk.freeMib === null ? 'unknown' : bytes(now.disk.freeMib * MIB)} />
          <Pair label="new jobs need at least" value={bytes(now.disk.floorMib * MIB)} />
          <Pair label="exports may take" value={bytes(now.disk.exportsMaxGib * 1024 * MIB)} />
        </dl>
      </Tile>
      <Tile title="This server" isWell advice="">
        <dl class="pairs">
          <Pair label="threads" value={wholeText(now.engine.threads)} />
          <Pair label="shards being computed" value={wholeText(now.engine.running)} />
          <Pair label="shards waiting" value={wholeText(now.engine.waiting)} />
          <Pair label="small exports being computed" value={wholeText(now.waitingClients.computing)} />
          <Pair label="small exports waiting" value={wholeText(now.waitingClients.inLine)} />
          <Pair label="answers in memory" value={bytes(now.waitingClients.heldBytes)} />
        </dl>
        <p class="hint">Gazette {now.version}</p>
      </Tile>
    </div>
  )
}

type QueueTileProps = { now: Operations; mayControl: boolean; onChanged: () => void }

function QueueTile({ now: { queue }, mayControl, onChanged }: QueueTileProps) {
  const advice = queue.answers
    ? 'The queue is paused: new jobs are accepted, but none starts until you resume it.'
    : 'New jobs are refused. Check the queue that QUEUE_URL names. Accepted jobs are on disk and continue when it is available again.'
  return (
    <Tile title="Queue" isWell={queue.answers && queue.isPaused === false} advice={advice}>
      <p>{QUEUES[queue.kind]}</p>
      {queue.jobs !== null && (
        <dl class="pairs">
          {Object.entries(queue.jobs).map(([name, n]) => (
            <Pair key={name} label={name} value={wholeText(n)} />
          ))}
        </dl>
      )}
      {queue.jobs !== null && mayControl && (
        <QueueControls isPaused={queue.isPaused === true} waiting={queue.jobs.waiting} onChanged={onChanged} />
      )}
    </Tile>
  )
}

type TileProps = { title: string; isWell: boolean; advice: string; children: ComponentChildren }

function Tile({ title, isWell, advice, children }: TileProps) {
  return (
    <Panel
      title={title}
      class="tile"
      side={<span class={`badge ${isWell ? 'succeeded' : 'failed'}`}>{isWell ? 'Healthy' : 'Needs attention'}</span>}
    >
      {children}
      {!isWell && <p class="trouble">{advice}</p>}
    </Panel>
  )
}

function Pair({ label, value }: { label: string; value: string }) {
  return (
    <div>
      <dt>{label}</dt>
      <dd>{value}</dd>
    </div>
  )
}
