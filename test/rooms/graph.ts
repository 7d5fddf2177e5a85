/** A directed graph: of each node the nodes that it points to. */
export type Graph = ReadonlyMap<string, ReadonlySet<string>>

/** Joins nodes into groups, and leaves out arrows within a group. */
export function grouped(graph: Graph, groupOf: (node: string) => string): Graph {
  const groups = new Map<string, Set<string>>()
  for (const [from, tos] of graph) {
    const group = groupOf(from)
    const targets = groups.get(group) ?? new Set()
    groups.set(group, targets)
    for (const to of tos) if (groupOf(to) !== group) targets.add(groupOf(to))
  }
  return groups
}

/** Finds all strongly connected components of more than one node (Tarjan 1972), each sorted. */
export function circles(graph: Graph): string[][] {
  const index = new Map<string, number>()
  const low = new Map<string, number>()
  const stack: string[] = []
  const onStack = new Set<string>()
  const found: string[][] = []
  const connect = (node: string) => {
    index.set(node, index.size)
    low.set(node, index.get(node)!)
    stack.push(node)
    onStack.add(node)
    for (const next of graph.get(node) ?? []) {
      if (!index.has(next)) {
        connect(next)
        low.set(node, Math.min(low.get(node)!, low.get(next)!))
      } else if (onStack.has(next)) low.set(node, Math.min(low.get(node)!, index.get(next)!))
    }
    if (low.get(node) !== index.get(node)) return
    const component = stack.splice(stack.indexOf(node))
    for (const each of component) onStack.delete(each)
    if (component.length > 1) found.push(component.sort())
  }
  for (const node of graph.keys()) if (!index.has(node)) connect(node)
  return found.sort((a, b) => (a[0] < b[0] ? -1 : 1))
}

/** Counts the floors of a graph without circles: the nodes of its longest path. */
export function floorsOf(graph: Graph): number {
  const height = new Map<string, number>()
  const of = (node: string): number => {
    if (!height.has(node)) height.set(node, 1 + Math.max(0, ...[...(graph.get(node) ?? [])].map(of)))
    return height.get(node)!
  }
  return Math.max(0, ...[...graph.keys()].map(of))
}

/** Finds of each node all that its arrows lead to, in one step or more; for a graph without circles. */
export function reached(graph: Graph): Graph {
  const reach = new Map<string, Set<string>>()
  const of = (node: string): Set<string> => {
    const known = reach.get(node)
    if (known) return known
    const all = new Set<string>()
    for (const next of graph.get(node) ?? []) for (const each of [next, ...of(next)]) all.add(each)
    reach.set(node, all)
    return all
  }
  for (const node of graph.keys()) of(node)
  return reach
}

/** Leaves out each arrow that a longer way stands for (transitive reduction of a graph without circles). */
export function reduced(graph: Graph): Graph {
  const reach = reached(graph)
  return new Map(
    [...graph].map(([from, tos]) => {
      const isShort = (to: string) => [...tos].some((other) => other !== to && reach.get(other)?.has(to))
      return [from, new Set([...tos].filter((to) => !isShort(to)))]
    }),
  )
}
