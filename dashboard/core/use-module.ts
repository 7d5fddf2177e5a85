import { useEffect, useState } from 'preact/hooks'

/** Lazily loaded part of the program or the documentation, or that it could not be loaded. */
type Imported<T> = { data: T | null; isMissing: boolean }

/** Loads a part of the program or the documentation when it is first shown. @param load a constant function */
export function useModule<T>(load: () => Promise<T>): Imported<T> {
  const [state, setState] = useState<Imported<T>>({ data: null, isMissing: false })
  useEffect(() => {
    load().then(
      (data) => setState({ data, isMissing: false }),
      () => setState({ data: null, isMissing: true }),
    )
  }, [load])
  return state
}
