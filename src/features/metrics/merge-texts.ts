/** The metrics of one process, in a text format of Prometheus. */
export interface WorkerText {
  /** The value of the label `worker`; `null` for a process that has ended. */
  readonly worker: string | null
  readonly text: string
  /** The names of gauges that cannot be added up. */
  readonly each: readonly string[]
}

/** What a merge leaves out. Default: nothing. */
export interface MergeOptions {
  /** Whether to leave out what may shrink: gauges, and quantiles. */
  readonly totalsOnly?: boolean
}

/** The lines of one metric, in the order in which they were found. */
interface Family {
  /** `# HELP`, `# TYPE` and `# UNIT`. */
  readonly head: string[]
  type: string
  readonly samples: Map<string, Sample>
}

interface Sample {
  value: number
  /** What follows the value: a time, or an exemplar. */
  readonly rest: string
}

const COMMENT = /^# (HELP|TYPE|UNIT) (\S+) ?(.*)$/
/** `name{labels} value rest`. A label may contain any character between its quotes. */
const SAMPLE = /^([a-zA-Z_:][\w:]*)(\{(?:[^"}]|"(?:[^"\\]|\\.)*")*\})? (\S+)(.*)$/
/** The types whose samples all count something, except for the quantiles of a summary. */
const COUNTING = new Set(['counter', 'histogram', 'summary'])

/**
 * Adds up metrics of several processes that are written in one format. Values of counters, histograms and gauges are added;
 * quantiles, and the gauges of `each`, get the label `worker`.
 */
export function mergeTexts(texts: readonly WorkerText[], options: MergeOptions = {}): string {
  const families = new Map<string, Family>()
  for (const text of texts) readText(text, families, options.totalsOnly === true)
  return [...families.values()].map(textOf).join('')
}

function readText(from: WorkerText, families: Map<string, Family>, totalsOnly: boolean): void {
  let family: Family | undefined
  for (const line of from.text.split('\n')) {
    const [, kind, name, rest] = COMMENT.exec(line) ?? []
    if (name !== undefined) {
      family = families.get(name) ?? { head: [], type: 'unknown', samples: new Map() }
      families.set(name, family)
      if (kind === 'TYPE') family.type = rest as string
      if (!family.head.some((known) => known.startsWith(`# ${kind} `))) family.head.push(line)
    } else if (family !== undefined) addSample(family, line, { from, totalsOnly })
  }
}

function addSample(
  { type, samples }: Family,
  line: string,
  { from, totalsOnly }: { readonly from: WorkerText; readonly totalsOnly: boolean },
): void {
  const [, name, labels = '', value, rest] = SAMPLE.exec(line) ?? []
  if (name === undefined || value === undefined || rest === undefined) return
  const isTotal = COUNTING.has(type) && !(type === 'summary' && labels.includes('quantile="'))
  if (totalsOnly && !isTotal) return
  const isAdded = isTotal || (type === 'gauge' && !from.each.includes(name))
  const key = name + (isAdded || from.worker === null ? labels : withWorker(labels, from.worker))
  const known = samples.get(key)
  if (known === undefined) samples.set(key, { value: numberOf(value), rest })
  else if (isAdded) known.value += numberOf(value)
}

function withWorker(labels: string, worker: string): string {
  const own = `worker="${worker}"`
  return labels === '' || labels === '{}' ? `{${own}}` : `${labels.slice(0, -1)},${own}}`
}

function numberOf(text: string): number {
  if (text === '+Inf') return Number.POSITIVE_INFINITY
  return text === '-Inf' ? Number.NEGATIVE_INFINITY : Number(text)
}

/** A metric of which nothing remains is left out. */
function textOf({ head, samples }: Family): string {
  if (samples.size === 0) return ''
  const lines = [...samples].map(([key, { value, rest }]) => `${key} ${valueText(value)}${rest}`)
  return `${[...head, ...lines].join('\n')}\n`
}

function valueText(value: number): string {
  if (value === Number.POSITIVE_INFINITY) return '+Inf'
  return value === Number.NEGATIVE_INFINITY ? '-Inf' : String(value)
}
