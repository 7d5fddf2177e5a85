import { useState } from 'preact/hooks'
import { Button } from '../../ui/controls/button.tsx'
import { Dropdown } from '../../ui/dropdown.tsx'
import { OFFICE_FORMATS, type OfficeFormat, saveReport } from './office/office.ts'

type SaveMenuProps = { article: { current: HTMLElement | null }; program: string; isLoading: boolean }

/** Draws the menu that saves the report as a document. */
export function SaveMenu({ article, program, isLoading }: SaveMenuProps) {
  const [state, setState] = useState<{ words: string; isTrouble?: boolean } | null>(null)
  const save = async (format: OfficeFormat) => {
    setState({ words: 'Preparing …' })
    try {
      await saveReport(article.current!, format, program, (n, all) => setState({ words: `Figure ${n} of ${all} …` }))
      setState(null)
    } catch {
      setState({ words: `The ${format.toUpperCase()} could not be created. Try again, or print.`, isTrouble: true })
    }
  }
  if (isLoading) return null
  if (state !== null && !state.isTrouble)
    return (
      <span class="hint" role="status">
        {state.words}
      </span>
    )
  return (
    <>
      <Dropdown words="Save" label="Save the report">
        {(close) => (
          <fieldset>
            <legend>Save the report as</legend>
            {Object.entries(OFFICE_FORMATS).map(([format, { label }]) => (
              <Button
                key={format}
                class="small"
                onClick={() => {
                  close()
                  void save(format as OfficeFormat)
                }}
              >
                {label}
              </Button>
            ))}
          </fieldset>
        )}
      </Dropdown>
      {state !== null && (
        <p class="trouble" role="alert">
          {state.words}
        </p>
      )}
    </>
  )
}
