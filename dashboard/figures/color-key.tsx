import './figures.css'

/** Draws the colour key of a figure. @param label accessible name of the list */
export function ColorKey({ label: title, of }: { label: string; of: { label: string; color: string }[] }) {
  return (
    <ul class="legend" aria-label={title}>
      {of.map(({ label, color }, i) => (
        <li key={i}>
          <svg width="14" height="14" aria-hidden="true" focusable="false">
            <rect width="14" height="14" rx="3" fill={color} />
          </svg>
          <bdi>{label}</bdi>
        </li>
      ))}
    </ul>
  )
}
