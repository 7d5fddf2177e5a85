import { useEffect, useState } from 'preact/hooks'

/** A part of the program or of the documentation once it has been loaded, or that it could not be. */
type Imported<T> = { data: T | null; isMissing: boolean }

/** Loads a part of the program or of the documentation when it is first shown. @param load a constant function */
export function useImport<T>(load: () => Promise<T>): Imported<T> {
  const [state, setState] = useState<Imported<T>>({ data: null, isMissing: false })
  useEffect(() => {
    load().then(
      (data) => setState({ data, isMissing: false }),
      () => setState({ data: null, isMissing: true }),
    )
  }, [load])
  return state
}
