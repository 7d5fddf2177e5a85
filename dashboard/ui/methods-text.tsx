import { useState } from 'preact/hooks'
import type { MethodsData } from '../core/api.ts'
import { useData } from '../core/use-data.ts'
import { Button } from './controls/button.tsx'
import { Panel } from './controls/panel.tsx'
import { CopyButton } from './copy.tsx'
import { Await } from './waiting/states.tsx'

/** Draws the methods section of a study on request, since it takes the server some time. @param query with its `?` */
export function MethodsText({ studyId, query }: { studyId: string; query: string }) {
  const [isWanted, setIsWanted] = useState(false)
  const methods = useData<MethodsData>(isWanted ? `/api2/studies/${studyId}/methods${query}` : null, 0, query)
  return (
    <Panel title="Methods section" id="methods" class="methods">
      {isWanted ? (
        <Await loaded={methods} what="the methods">
          {(data) => <Written data={data} />}
        </Await>
      ) : (
        <>
          <p>
            A paragraph for a paper: participants, apparatus, data quality, and fixations with every setting. Its
            numbers are computed on request.
          </p>
          <p class="row">
            <Button onClick={() => setIsWanted(true)}>Write it</Button>
          </p>
        </>
      )}
    </Panel>
  )
}

function Written({ data: { paragraph, toAdd, sources } }: { data: MethodsData }) {
  return (
    <>
      <p class="paragraph">{paragraph}</p>
      <p class="row">
        <CopyButton label="Copy the paragraph" text={() => paragraph} />
        <CopyButton label="Copy its sources as BibTeX" text={() => sources.map(({ bibtex }) => bibtex).join('\n')} />
      </p>
      <h3>To be added</h3>
      <ul class="bulleted">
        {toAdd.map((line) => (
          <li key={line}>{line}</li>
        ))}
      </ul>
      <h3>Sources</h3>
      <ul class="bulleted">
        {sources.map(({ key, reference, doi }) => (
          <li key={key}>
            {reference} doi:{doi}
          </li>
        ))}
      </ul>
      <p class="hint">
        <a href="/help/validation">What was compared with other programs and with people</a>
      </p>
    </>
  )
}
