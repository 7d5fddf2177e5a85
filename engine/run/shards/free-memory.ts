import { MessageChannel } from 'node:worker_threads'

/** Nobody reads from it: what is sent is dropped. */
const { port1: nobody, port2: end } = new MessageChannel()
end.close()

/**
 * Frees the memory of bytes at once, which then have no length. V8 would free it with its next collection, and begins
 * one, over the whole heap, whenever some tens of MiB have been allocated; until then the system provides new pages.
 *
 * @param bytes alone in their memory, so not short ones, which may be in Node's pool
 */
export function freeMemory({ buffer }: Uint8Array): void {
  nobody.postMessage(null, [buffer as ArrayBuffer])
}
