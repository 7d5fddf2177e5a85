import { useState } from 'preact/hooks'
import { countOf } from '../core/number-texts.ts'
import { unsavedItems } from '../core/unsaved-aois.ts'
import { Button } from '../ui/controls/button.tsx'
import { Dialog } from '../ui/dialog.tsx'

/** Signs out; asks for confirmation if unsaved AOIs would be lost. */
export function SignOut({ words, signOut }: { words: string; signOut: () => void }) {
  const [left, setLeft] = useState<ReturnType<typeof unsavedItems>>([])
  const ask = () => {
    const found = unsavedItems()
    if (found.length === 0) signOut()
    else setLeft(found)
  }
  const close = () => setLeft([])
  return (
    <>
      <Button class="quiet" onClick={ask}>
        {words}
      </Button>
      {left.length > 0 && (
        <Dialog title="AOIs are not saved" onClose={close}>
          <p>{countOf(left.length, 'item')} with unsaved AOIs. If you sign out, these AOIs are lost:</p>
          <ul class="bulleted">
            {left.map(({ studyId, itemId }, i) => (
              <li key={itemId}>
                <a href={`/studies/${studyId}/items/${itemId}/aois`} onClick={close}>
                  Draft {i + 1}
                </a>
              </li>
            ))}
          </ul>
          <p class="row">
            <Button
              class="danger"
              onClick={() => {
                close()
                signOut()
              }}
            >
              Sign out and discard them
            </Button>
            <Button onClick={close}>Stay signed in</Button>
          </p>
        </Dialog>
      )}
    </>
  )
}
