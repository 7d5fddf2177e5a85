import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import type { ExportInfo, JobView, Study } from '../../core/api.ts'
import { toggled } from '../../core/toggled.ts'
import { useChange } from '../../core/use-change.ts'
import { Button } from '../../ui/controls/button.tsx'
import { Check, Chips } from '../../ui/controls/choice.tsx'
import { Panel } from '../../ui/controls/panel.tsx'
import { Trouble } from '../../ui/waiting/states.tsx'
import { OwnJob } from './own-job.tsx'
import { startJob } from './start-job.ts'

type PackagePanelProps = {
  study: Study
  queryOf: (names: string | null) => string
  format: string
  exports: ExportInfo[]
  children: (listed: string[]) => ComponentChildren
}

/**
 * Draws the choice of tables for one package, the button that creates it, and the progress of its job.
 *
 * @param queryOf returns the query for tables, by their names separated by commas; null for all that have rows
 * @param children settings that affect the chosen tables
 */
export function PackagePanel({ study, queryOf, format, exports, children }: PackagePanelProps) {
  const [job, setJob] = useState<JobView | null>(null)
  const { problem, isBusy, act, setProblem } = useChange()
  const [isChosen, setIsChosen] = useState(false)
  const [names, setNames] = useState<string[]>([])
  const [isOpen, setIsOpen] = useState(false)
  const taken = isChosen ? exports.filter(({ name }) => names.includes(name)) : exports
  const path = `/api2/studies/${study.id}/package${queryOf(isChosen ? taken.map(({ name }) => name).join() : null)}`
  useEffect(() => {
    setJob(null)
    setProblem(null)
  }, [path])
  const ask = () => act(async () => setJob(await startJob(path)))
  const toggle = (name: string) => setNames(toggled(names, name))
  return (
    <Panel title="Several tables as one package" id="package" class="take">
      <p>
        Tables of the same tests and with the same settings, {format === 'parquet' ? 'as Parquet' : 'as CSV'}, in one
        ZIP file, with the methods section, a citation, and descriptions for Frictionless, RO-Crate and Croissant.
      </p>
      <details class="advanced package-settings" onToggle={(event) => setIsOpen(event.currentTarget.open)}>
        <summary>{isChosen ? 'Selected tables' : 'Every table with rows'}, and their settings</summary>
        <Chips legend="Which tables">
          <Check group="package" isOn={!isChosen} onChange={() => setIsChosen(false)}>
            Every table with rows
          </Check>
          <Check group="package" isOn={isChosen} onChange={() => setIsChosen(true)}>
            Selected tables
          </Check>
        </Chips>
        {isChosen && (
          <fieldset class="package-choice">
            <legend class="unseen">Tables of the package</legend>
            {exports.map(({ name, title }) => (
              <Check class="tick" key={name} isOn={names.includes(name)} onChange={() => toggle(name)}>
                {title}
              </Check>
            ))}
          </fieldset>
        )}
        {isOpen && taken.length > 0 && children([...new Set(taken.flatMap(({ settings }) => settings))])}
      </details>
      <p class="row">
        <Button disabled={isBusy || taken.length === 0} onClick={ask}>
          Create the package
        </Button>
        {taken.length === 0 && <span class="hint">Select at least one table.</span>}
      </p>
      {problem !== null && <Trouble problem={problem} />}
      {job !== null && <OwnJob key={job.id} first={job} studyName={study.name} />}
    </Panel>
  )
}
