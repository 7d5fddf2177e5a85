/** Draws the mark: an eye. */
export function Mark() {
  return (
    <svg viewBox="0 0 32 32" width="28" height="28" aria-hidden="true" focusable="false">
      <rect width="32" height="32" rx="8" fill="#0b5c72" />
      <path
        d="M5 16c3-5 7-7.500 11-7.500S24 11 27 16c-3 5-7 7.500-11 7.500S8 21 5 16Z"
        fill="none"
        stroke="#fff"
        stroke-width="2"
      />
      <circle cx="16" cy="16" r="4" fill="#f6b73c" />
    </svg>
  )
}
