import { setImmediate as nextTurn } from 'node:timers/promises'

/** The metrics of one process as text. `worker` is the value of its `worker` label; `null` for no label. */
export interface WorkerText {
  readonly worker: string | null
  readonly text: string
}

/** Shares an application's metrics with the other workers. Returns a function that reads the metrics of all workers. */
export type ShareMetrics = (
  write: WriteMetrics,
) => (isOpen: boolean) => Promise<readonly WorkerText[]>

/** Writes an application's metrics, as OpenMetrics or in the Prometheus text format. */
export type WriteMetrics = (isOpen: boolean) => Promise<string>

/** The number of lines that are read before the event loop can run other work. */
const LINES_PER_TURN = 2000

/** Joins the metrics of several processes, which are all in the same format. Adds the label `worker` to each series. */
export async function* joinTexts(texts: readonly WorkerText[]): AsyncGenerator<string> {
  /** The lines of each metric, by name, because the lines of one metric must be adjacent in the result. */
  const families = new Map<string, { head: string; values: string }>()
  for (const { worker, text } of texts) {
    const known = new Set(families.keys())
    let name = ''
    for (const [index, line] of text.split('\n').entries()) {
      if (index % LINES_PER_TURN === LINES_PER_TURN - 1) await nextTurn()
      name = /^# \w+ (\S+)/.exec(line)?.[1] ?? name
      const family = families.get(name) ?? { head: '', values: '' }
      families.set(name, family)
      if (line.startsWith('#')) family.head += known.has(name) ? '' : `${line}\n`
      else if (line !== '') family.values += `${withLabel(line, worker)}\n`
    }
  }
  for (const { head, values } of families.values()) yield head + values
}

/** Adds the label to a line. A metric name ends at the first brace or space. */
function withLabel(line: string, worker: string | null): string {
  if (worker === null) return line
  return line.replace(/^([^{ ]+)(\{\}|\{|)/, (_, name: string, open: string) => {
    return `${name}{worker="${worker}"${open === '{' ? ',' : '}'}`
  })
}
