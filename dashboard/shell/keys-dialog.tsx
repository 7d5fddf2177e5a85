import { useState } from 'preact/hooks'
import { hasSingleKeys, keysOfPage, setSingleKeys } from '../core/single-keys.ts'
import { Check } from '../ui/controls/choice.tsx'
import { Dialog } from '../ui/dialog.tsx'

/** Lists the single keys of the page, and switches them on or off in this browser. */
export function KeysDialog({ onClose }: { onClose: () => void }) {
  const [keys] = useState(keysOfPage)
  const [isOn, setIsOn] = useState(hasSingleKeys)
  const set = (next: boolean) => {
    setSingleKeys(next)
    setIsOn(next)
  }
  return (
    <Dialog title="Keys of this page" onClose={onClose}>
      <dl class="keys">
        {keys.map(({ key, words }) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>
              <bdi>{words}</bdi>
            </dd>
          </div>
        ))}
      </dl>
      <p class="hint">Arrow keys move within lists and tables. While you type, a key is a letter.</p>
      <Check class="tick" isOn={isOn} onChange={set}>
        Single keys work in this browser
      </Check>
    </Dialog>
  )
}
