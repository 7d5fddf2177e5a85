import type { ComponentChildren } from 'preact'
import type { Study } from '../../core/api.ts'
import { type People, useDescribedParticipants } from '../../core/people/people.ts'
import { setQuery } from '../../core/router.ts'
import { Button } from '../../ui/controls/button.tsx'
import { Await } from '../../ui/waiting/states.tsx'
import { groupChanges, splitsOf } from './group-list.ts'

/** Draws the buttons that split participants into groups and write them to the address. */
export function SplitBy({ study, people, children }: { study: Study; people: People; children?: ComponentChildren }) {
  const described = useDescribedParticipants(study.id)
  return (
    <Await loaded={people.first} what="participants">
      {(facts) => (
        <div class="row">
          <span class="hint">Split by</span>
          {splitsOf(facts, people.all, described.data?.age ?? null).map(({ label, groups }) => (
            <Button key={label} class="small" onClick={() => setQuery(groupChanges(groups))}>
              <bdi>{label}</bdi>
            </Button>
          ))}
          {children}
        </div>
      )}
    </Await>
  )
}
