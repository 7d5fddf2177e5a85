import { useLayoutEffect, useState } from 'preact/hooks'

/** Tellers of each text on the page, the earliest first. */
const tellers = new Map<string, ((isFirst: boolean) => void)[]>()

/** Returns whether this is the first part of the page that tells a text, so that the page tells it once. */
export function useToldOnce(text: string): boolean {
  const [isFirst, setIsFirst] = useState(false)
  useLayoutEffect(() => {
    const others = tellers.get(text) ?? []
    tellers.set(text, [...others, setIsFirst])
    setIsFirst(others.length === 0)
    return () => {
      const left = tellers.get(text)!.filter((each) => each !== setIsFirst)
      if (left.length === 0) tellers.delete(text)
      else tellers.set(text, left)
      left[0]?.(true)
    }
  }, [text])
  return isFirst
}
