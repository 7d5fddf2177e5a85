import type { Plugin } from 'vite'

/** Chunks that nearly every page needs: scripts/chunk-groups.ts. */
const NEEDED = /^assets\/(main|first|common)-/

/** Lets the first page request the scripts that nearly every page needs while the one that starts it still comes. */
export function preloadShell(): Plugin {
  return {
    name: 'gazette-preload-shell',
    transformIndexHtml: {
      order: 'post',
      handler: (_html, { bundle = {} }) =>
        Object.values(bundle)
          .filter(({ type, fileName }) => type === 'chunk' && NEEDED.test(fileName))
          .map(({ fileName }) => ({
            tag: 'link',
            attrs: { rel: 'modulepreload', crossorigin: true, href: `/${fileName}` },
            injectTo: 'head',
          })),
    },
  }
}
