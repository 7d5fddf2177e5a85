import type { Page } from 'playwright-core'

export type ClipOptions = { widthPx: number; heightPx: number; halfMs: number }

/** Returns whether the browser records a type of video. */
export function canRecord(page: Page, mimeType: string): Promise<boolean> {
  return page.evaluate(`MediaRecorder.isTypeSupported(${JSON.stringify(mimeType)})`) as Promise<boolean>
}

/** Records a clip in the browser, red at first and blue for as long again: nothing else of Debian makes one. */
export async function recordClip(
  page: Page,
  mimeType: string,
  { widthPx, heightPx, halfMs }: ClipOptions,
): Promise<Buffer> {
  const text = await page.evaluate(`(async () => {
    const canvas = document.createElement('canvas')
    canvas.width = ${widthPx}
    canvas.height = ${heightPx}
    const context = canvas.getContext('2d')
    const paint = (color) => {
      context.fillStyle = color
      context.fillRect(0, 0, ${widthPx}, ${heightPx})
    }
    const recorder = new MediaRecorder(canvas.captureStream(25), { mimeType: ${JSON.stringify(mimeType)} })
    const parts = []
    recorder.ondataavailable = ({ data }) => parts.push(data)
    const ended = new Promise((resolve) => (recorder.onstop = resolve))
    paint('#ff0000')
    recorder.start()
    const from = performance.now()
    await new Promise((resolve) => {
      const step = (now) => {
        paint(now - from < ${halfMs} ? '#ff0000' : '#0000ff')
        if (now - from < ${2 * halfMs}) requestAnimationFrame(step)
        else resolve()
      }
      requestAnimationFrame(step)
    })
    recorder.stop()
    await ended
    const bytes = new Uint8Array(await new Blob(parts).arrayBuffer())
    return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''))
  })()`)
  return Buffer.from(text as string, 'base64')
}
