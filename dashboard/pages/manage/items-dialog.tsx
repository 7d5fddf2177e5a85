import { useState } from 'preact/hooks'
import { compareNames } from '../../../isomorphic/natural-order.ts'
import { type Item, type Study, sendJson } from '../../core/api.ts'
import { countOf, isolate } from '../../core/number-texts.ts'
import { useChange } from '../../core/use-change.ts'
import { ItemPicture, imageOf } from '../../figures/item-picture.tsx'
import { Actions } from '../../ui/actions.tsx'
import { Button } from '../../ui/controls/button.tsx'
import { Check } from '../../ui/controls/choice.tsx'
import { TextInput } from '../../ui/controls/field.tsx'
import { Dialog } from '../../ui/dialog.tsx'

type ItemsDialogProps = { study: Study; onChanged: () => void; onClose: () => void }

/** Renames, reorders and removes items of a study in one change. */
export function ItemsDialog({ study, onChanged, onClose }: ItemsDialogProps) {
  const [items, setItems] = useState(study.items)
  const [isSure, setIsSure] = useState(false)
  const { problem, isBusy, act } = useChange(onChanged)
  const gone = study.items.filter(({ id }) => !items.some((item) => item.id === id))
  const tests = gone.reduce((sum, { testCount }) => sum + testCount, 0)
  const isSame = items.length === study.items.length && items.every((item, i) => item === study.items[i])
  const isNameless = items.some(({ filename }) => filename.trim() === '')
  const save = (event: Event) => {
    event.preventDefault()
    const body = {
      items: items.map(({ id, filename }) => ({ id, filename: withEnding(filename.trim(), study, id) })),
      ...(tests > 0 ? { removesTests: true } : {}),
    }
    void act(() => sendJson(`/api2/studies/${study.id}`, 'PATCH', body, { 'If-Match': `"${study.snapshot}"` }))
  }
  return (
    <Dialog title="Items of the study" onClose={onClose}>
      <form class="stack" onSubmit={save}>
        <p class="row">
          <Button
            class="small"
            onClick={() => setItems(items.toSorted((a, b) => compareNames(a.filename, b.filename)))}
          >
            Order by name
          </Button>
          <span class="hint">Pictures follow their items.</span>
        </p>
        <ol class="item-rows">
          {items.map((item, i) => (
            <ItemRow
              key={item.id}
              {...{ study, item, i }}
              isLast={i === items.length - 1}
              onName={(filename) => setItems(items.with(i, { ...item, filename }))}
              onMove={(by) => setItems(items.toSpliced(i, 1).toSpliced(i + by, 0, item))}
              onRemove={() => setItems(items.toSpliced(i, 1))}
            />
          ))}
        </ol>
        {gone.length > 0 && (
          <GoneItems {...{ gone, tests, isSure, setIsSure }} onStartAgain={() => setItems(study.items)} />
        )}
        <Actions problem={problem} onCancel={onClose}>
          <Button isSubmit class="primary" disabled={isBusy || isSame || isNameless || (tests > 0 && !isSure)}>
            Save
          </Button>
        </Actions>
      </form>
    </Dialog>
  )
}

type ItemRowProps = {
  study: Study
  item: Item
  i: number
  isLast: boolean
  onName: (filename: string) => void
  onMove: (by: number) => void
  onRemove: () => void
}

function ItemRow({ study, item, i, isLast, onName, onMove, onRemove }: ItemRowProps) {
  const name = isolate(item.filename)
  return (
    <li class="row">
      <ItemPicture studyId={study.id} item={nameBefore(study, item)} width={64} height={40} />
      <TextInput aria-label={`Name of item ${i + 1}`} maxLength={500} value={item.filename} onText={onName} />
      <Button class="small" aria-label={`Move ${name} up`} disabled={i === 0} onClick={() => onMove(-1)}>
        ↑
      </Button>
      <Button class="small" aria-label={`Move ${name} down`} disabled={isLast} onClick={() => onMove(1)}>
        ↓
      </Button>
      <Button class="small" aria-label={`Remove ${name}`} onClick={onRemove}>
        Remove
      </Button>
    </li>
  )
}

type GoneItemsProps = {
  gone: Item[]
  tests: number
  isSure: boolean
  setIsSure: (isSure: boolean) => void
  onStartAgain: () => void
}

/** Says what the removal of items removes; recordings go only with consent. */
function GoneItems({ gone, tests, isSure, setIsSure, onStartAgain }: GoneItemsProps) {
  const isOne = gone.length === 1
  return (
    <div class="notice" role="status">
      <p>
        {countOf(gone.length, 'item')} {isOne ? 'goes' : 'go'}, with {isOne ? 'its' : 'their'} AOIs and{' '}
        {countOf(tests, 'test')}.{' '}
        <Button class="link" onClick={onStartAgain}>
          Start again
        </Button>
      </p>
      {tests > 0 && (
        <Check class="tick" isOn={isSure} onChange={setIsSure}>
          Also remove the recordings of these tests
        </Check>
      )}
    </div>
  )
}

/** Returns an item with its previous name, by which its picture is found. */
function nameBefore(study: Study, item: Item): Item {
  return study.items.find(({ id }) => id === item.id) ?? item
}

/** Adds the extension of the item's picture to a name without one. */
function withEnding(filename: string, study: Study, id: string): string {
  const before = study.items.find((item) => item.id === id)!
  if (imageOf(study.id, before) === null) return filename
  const ending = before.filename.replace(/^.*(?=\.)/s, '')
  return filename.toLowerCase().endsWith(ending.toLowerCase()) ? filename : `${filename}${ending}`
}
