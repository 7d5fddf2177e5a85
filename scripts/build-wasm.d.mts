export function buildMedian(): Promise<Uint8Array>
