import { slug } from '../../../core/number-texts.ts'
import { saveBlob } from '../../../figures/save.ts'
import { contentsOf } from './contents.ts'

/** Formats of a report beside paper, by their endings; their writers are loaded on demand. */
export const OFFICE_FORMATS = {
  docx: { label: 'Word (DOCX)', load: () => import('./docx.ts').then((loaded) => loaded.docxOf) },
  pptx: { label: 'PowerPoint (PPTX)', load: () => import('./pptx.ts').then((loaded) => loaded.pptxOf) },
} as const
export type OfficeFormat = keyof typeof OFFICE_FORMATS

/** Saves the report as the page shows it. @param onFigure called with the number of figures drawn, and of all */
export async function saveReport(
  article: HTMLElement,
  format: OfficeFormat,
  program: string,
  onFigure: (n: number, all: number) => void,
): Promise<void> {
  const blocks = contentsOf(article)
  const all = blocks.filter((block) => block.is === 'figure').length
  const named = blocks.find((block) => block.is === 'heading')
  const title = named?.is === 'heading' ? named.text : 'Report'
  const write = await OFFICE_FORMATS[format].load()
  saveBlob(await write(blocks, { title, program }, (n) => onFigure(n, all)), `${slug(title)}.${format}`)
}
