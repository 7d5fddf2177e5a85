import { useState } from 'preact/hooks'
import { ChipChoice } from '../../ui/controls/choice.tsx'
import { Panel } from '../../ui/controls/panel.tsx'
import { CopyButton } from '../../ui/copy.tsx'
import { Scrolling } from '../../ui/scrolling.tsx'
import { scriptTexts, type Wanted } from './script-texts.ts'

/** Shows how a script gets the file of the page, in curl, Python and R. */
export function ScriptLines(wanted: Wanted) {
  const [language, setLanguage] = useState('curl')
  const lines: Record<string, string> = scriptTexts(wanted)
  return (
    <Panel
      title="In a script"
      id="lines"
      side={
        <>
          <ChipChoice
            legend="Language"
            group="language"
            value={language}
            of={Object.keys(lines).map((name) => [name, name] as const)}
            onChange={setLanguage}
          />
          <CopyButton label="Copy" text={() => lines[language]} />
        </>
      }
    >
      <Scrolling class="code" label={`${language} lines`}>
        <pre>
          <code>{lines[language]}</code>
        </pre>
      </Scrolling>
      <p class="hint">
        Set your token in the environment variable <code>GAZETTE_TOKEN</code>.{' '}
        <a href="/clients/">Packages for Python, R and JavaScript</a> do all this in one line.
      </p>
    </Panel>
  )
}
