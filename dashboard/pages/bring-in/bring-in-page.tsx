import './bring-in.css'
import { commandLine, mayBringIn, type Session } from '../../core/api.ts'
import { useTitle } from '../../core/use-title.ts'
import { DropTarget, holdDropped } from '../../ui/drop-target.tsx'
import { Empty } from '../../ui/waiting/states.tsx'
import { CheckStep } from './check-step.tsx'
import { rememberedChoices } from './choices/remembered.ts'
import { FilesStep } from './files/files-step.tsx'
import { ReportStep } from './report-step.tsx'
import { useBringingIn } from './use-bringing-in.ts'

/** Draws the page that imports recordings and bundles as studies. */
export function BringInPage({ session }: { session: Session }) {
  const { at, change, choose, anew, bringIn } = useBringingIn(session)
  useTitle('Import data')
  if (!mayBringIn(session)) return <MayNot session={session} />
  return (
    <div class="bring-in stack">
      <nav class="crumbs" aria-label="Breadcrumb">
        <a href="/">Studies</a>
      </nav>
      <h1>Import data</h1>
      {(at.importId !== null || at.files.length > 0) && (
        <DropTarget
          onDrop={(entries) => {
            holdDropped(entries)
            anew()
          }}
        />
      )}
      {at.importId !== null ? (
        <ReportStep
          key={at.importId}
          id={at.importId}
          choices={at.choices}
          notes={at.notes}
          onBack={() => change({ importId: null })}
          onAgain={(again) => change({ importId: null, check: null, choices: { ...at.choices, ...again } })}
          onAnew={anew}
        />
      ) : at.files.length > 0 ? (
        <CheckStep
          {...at}
          session={session}
          onChoices={choose}
          onCheck={(check) => change({ check })}
          onBringIn={bringIn}
          onAnew={anew}
        />
      ) : (
        <FilesStep
          onSent={(files, notes) => {
            const choices = { ...at.choices, ...rememberedChoices(files) }
            change({ files, notes, check: null, choices })
          }}
        />
      )}
    </div>
  )
}

function MayNot({ session: { token } }: { session: Session }) {
  return (
    <>
      <h1>Import data</h1>
      <Empty title="This token can view studies, but not import data">
        <p>
          You are signed in as <bdi>{token?.name}</bdi>, with the role <code>{token?.role}</code>. Importing data needs
          a token with the role <code>write</code>: <code>{commandLine.program} token create --role write</code> makes
          one.
        </p>
        <p>
          <a href="/">View the studies</a>
        </p>
      </Empty>
    </>
  )
}
