/** Renders HTML that the build made from the documentation; never pass text that a user typed. */
export function Documentation({ html, isInline = false }: { html: string; isInline?: boolean }) {
  const inner = { __html: html }
  return isInline ? <span dangerouslySetInnerHTML={inner} /> : <div dangerouslySetInnerHTML={inner} />
}
