/** Shows HTML that the build made of the documentation; nothing that a person has typed comes here. */
export function DocsHtml({ html, isInline = false }: { html: string; isInline?: boolean }) {
  const inner = { __html: html }
  return isInline ? <span dangerouslySetInnerHTML={inner} /> : <div dangerouslySetInnerHTML={inner} />
}
