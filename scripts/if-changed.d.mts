export function compileProgram(
  compile: (args: string[]) => void | Promise<void>,
  options: { checksTypes: boolean },
): Promise<void>
