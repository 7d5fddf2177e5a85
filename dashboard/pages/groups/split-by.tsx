import type { ComponentChildren } from 'preact'
import type { Study } from '../../core/api.ts'
import { type People, useDescribedParticipants } from '../../core/people/people.ts'
import { setQuery, usePlace } from '../../core/router.ts'
import { Button } from '../../ui/controls/button.tsx'
import { splitsOf } from '../../ui/people/splits.ts'
import { Await } from '../../ui/waiting/states.tsx'
import { groupChanges } from './group-list.ts'

/** Draws the buttons that split participants into groups and write them to the address. */
export function SplitBy({ study, people, children }: { study: Study; people: People; children?: ComponentChildren }) {
  const described = useDescribedParticipants(study.id)
  return (
    <Await loaded={people.first} what="participants">
      {(facts) => {
        const splits = splitsOf(facts, people.all, described.data?.age ?? null)
        return (
          <div class="row">
            {splits.length > 0 && <span class="hint">Split by</span>}
            {splits.map(({ label, groups }) => (
              <Button key={label} class="small" onClick={() => setQuery(groupChanges(groups))}>
                <bdi>{label}</bdi>
              </Button>
            ))}
            {children}
          </div>
        )
      }}
    </Await>
  )
}

/** Draws them with the button that puts all tests into one group again, if they are split. */
export function SplitOrOne({ study, people }: { study: Study; people: People }) {
  const { query } = usePlace()
  return (
    <SplitBy {...{ study, people }}>
      {query.has('group1') && (
        <Button class="small" onClick={() => setQuery(groupChanges([]))}>
          One group
        </Button>
      )}
    </SplitBy>
  )
}
