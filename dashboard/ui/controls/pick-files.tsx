type PickFilesProps = {
  label: string
  class?: string
  /** Accepted file types; all if left out. */
  accept?: string
  isMany?: boolean
  isFolder?: boolean
  onPick: (input: HTMLInputElement) => void
}

/** Draws a button that opens the file or folder picker. The same files can be chosen again. */
export function PickFiles({ label, class: look = '', accept, isMany, isFolder, onPick }: PickFilesProps) {
  return (
    <label class={`button pick ${look}`.trim()}>
      {label}
      <input
        class="unseen"
        type="file"
        accept={accept}
        multiple={isMany}
        {...(isFolder ? { webkitdirectory: true } : {})}
        onChange={(event) => onPick(event.currentTarget)}
      />
    </label>
  )
}
