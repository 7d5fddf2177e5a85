import { useState } from 'preact/hooks'
import type { Study } from '../../core/api.ts'
import { isolate, participantLabel } from '../../core/number-texts.ts'
import type { People } from '../../core/people/people.ts'
import { setQuery, usePlace } from '../../core/router.ts'
import { BOARD_MAX, type BoardEntry, boardText, readBoard, withBoard } from '../../core/view/board.ts'
import { type Contents, contentsQuery, moved, PARTS, type ReportPart } from '../../core/view/report-contents.ts'
import { arrangementWords } from '../../core/view/scarf-view.ts'
import { Button } from '../../ui/controls/button.tsx'
import { Choice, type ChoiceOption } from '../../ui/controls/choice.tsx'
import { itemOptions } from '../../ui/controls/options.ts'
import { readGroups } from '../groups/group-list.ts'
import { whoOfEntry } from './board.tsx'
import { figureTitle } from './item-parts.tsx'
import { Movers } from './movers.tsx'

/** Draws what is on the board, in order, and adds figures of an item and of all, a group or a participant. */
export function BoardEditor({ study, people, contents }: { study: Study; people: People; contents: Contents }) {
  const { query } = usePlace()
  const { entries } = readBoard(query)
  const groups = readGroups(query)
  const change = (next: BoardEntry[]) => {
    const sections = next.length > entries.length ? withBoard(contents.sections) : contents.sections
    setQuery({ board: boardText(next), ...contentsQuery({ ...contents, sections }) })
  }
  const wordsOf = (entry: BoardEntry) => {
    const item = study.items.find(({ id }) => id === entry.itemId)
    const who = whoOfEntry(entry, groups, people)
    const title = item === undefined || who === null ? PARTS[entry.part] : figureTitle(PARTS[entry.part], item, who)
    return entry.scarf === undefined ? title : `${title}, ${arrangementWords(entry.scarf)}`
  }
  return (
    <fieldset class="board-editor">
      <legend>Board</legend>
      <ol>
        {entries.map((entry, place) => (
          <li key={`${place} ${Object.values(entry).join()}`} class="row">
            <span>{wordsOf(entry)}</span>
            <Movers
              name={wordsOf(entry)}
              {...{ place }}
              n={entries.length}
              onMove={(by) => change(moved(entries, entry, by))}
            />
            <Button
              class="quiet small"
              aria-label={`Remove ${wordsOf(entry)}`}
              onClick={() => change(entries.filter((_, other) => other !== place))}
            >
              ×
            </Button>
          </li>
        ))}
      </ol>
      {entries.length < BOARD_MAX && study.items.length > 0 && (
        <NewEntry
          {...{ study }}
          who={whoOptions(
            people,
            groups.map(({ name }) => name),
          )}
          onAdd={(entry) => change([...entries, entry])}
        />
      )}
    </fieldset>
  )
}

function whoOptions(people: People, groups: string[]): ChoiceOption[] {
  return [
    ['', 'All participants'],
    ...groups.map((name, g): ChoiceOption => [`g${g + 1}`, `Group: ${isolate(name)}`]),
    ...people.all.map((each): ChoiceOption => [each.id, isolate(participantLabel(each))]),
  ]
}

type NewEntryProps = { study: Study; who: ChoiceOption[]; onAdd: (entry: BoardEntry) => void }

/** Draws the choice of a figure, its item and whom it is of. */
function NewEntry({ study, who: people, onAdd }: NewEntryProps) {
  const [part, setPart] = useState<ReportPart>('heatmap')
  const [itemId, setItemId] = useState(study.items[0].id)
  const [who, setWho] = useState('')
  const isOfOne = who !== '' && !/^g\d$/.test(who)
  return (
    <div class="row">
      <Choice label="Figure" value={part} of={PARTS} onChange={setPart} />
      <Choice label="Item" value={itemId} of={itemOptions(study.items)} onChange={setItemId} />
      <Choice label="Whose" value={who} of={people} onChange={setWho} />
      {/* The table has means over participants. */}
      <Button class="small" disabled={isOfOne && part === 'table'} onClick={() => onAdd({ part, itemId, who })}>
        Put on the board
      </Button>
    </div>
  )
}
