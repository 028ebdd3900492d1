import { CliError } from './cli-error.js'
import type { Streams } from './program-context.js'
import { messageOf } from './texts.js'

/** Options of `deprecations`. */
export interface DeprecationsOptions {
  readonly url: string
  readonly header?: readonly string[]
  readonly json?: boolean
}

/** A deprecated route. Times are ISO strings. */
interface Deprecation {
  readonly route: string
  readonly since: string
  sunset: string | null
  /** The callers, most recent first. */
  readonly callers: Caller[]
}

interface Caller {
  readonly caller: string
  requests: number
  lastAt: string
}

const TIMEOUT_MS = 10_000

/**
 * Prints an application's deprecated routes, from its metrics.
 *
 * @throws CliError if the metrics cannot be read.
 */
export async function listDeprecations(
  { url, header = [], json }: DeprecationsOptions,
  { out, note }: Streams,
): Promise<void> {
  const found = deprecationsIn(await readMetrics(url, header))
  if (json === true) return out(`${JSON.stringify(found, null, 2)}\n`)
  out(found.map(rows).join(''))
  const unused = found.filter(({ callers }) => callers.length === 0).length
  note(
    `Deprecated routes: ${found.length}. Without a caller since the application started: ${unused}.`,
  )
}

async function readMetrics(url: string, lines: readonly string[]): Promise<string> {
  const fail = (cause: string) =>
    new CliError({
      status: 1,
      what: `The metrics at ${url} cannot be read.`,
      cause,
      remedy: 'Specify the URL of the metrics, and add a --header if a guard protects them.',
    })
  try {
    const headers = new Headers(lines.map((line) => pairOf(line)))
    const response = await fetch(url, { headers, signal: AbortSignal.timeout(TIMEOUT_MS) })
    if (response.ok) return await response.text()
    throw new Error(`The server responded with status ${response.status}.`)
  } catch (error) {
    throw fail(messageOf(error))
  }
}

function pairOf(line: string): [string, string] {
  const mark = line.indexOf(':')
  return [line.slice(0, Math.max(mark, 0)), line.slice(mark + 1).trim()]
}

const SAMPLE = /^http_deprecated_(\w+?)(?:_seconds|_total)\{(.*)\} (\S+)$/gm
const LABEL = /(\w+)="((?:[^"\\]|\\.)*)"/g

/**
 * Reads the deprecated routes from metrics. The first metric of each route must be the one for `since`. Each worker has
 * its own series, so the counts are added.
 */
export function deprecationsIn(text: string): Deprecation[] {
  const routes = new Map<string, Deprecation>()
  for (const [, kind, labels = '', value] of text.matchAll(SAMPLE)) {
    const { route, caller } = labelsOf(labels)
    const time = timeText(Number(value))
    const found = routes.get(route) ?? { route, since: time, sunset: null, callers: [] }
    routes.set(route, found)
    if (kind === 'sunset') found.sunset = time
    if (kind !== 'requests' && kind !== 'last_request') continue
    const known = found.callers.find((each) => each.caller === caller)
    const entry = known ?? { caller, requests: 0, lastAt: '' }
    if (known === undefined) found.callers.push(entry)
    if (kind === 'requests') entry.requests += Number(value)
    else if (time > entry.lastAt) entry.lastAt = time
  }
  for (const { callers } of routes.values())
    callers.sort((a, b) => b.lastAt.localeCompare(a.lastAt) || a.caller.localeCompare(b.caller))
  return [...routes.values()]
}

function labelsOf(text: string): { readonly route: string; readonly caller: string } {
  const labels = Object.fromEntries(
    [...text.matchAll(LABEL)].map(([, name, value = '']) => [
      name,
      value.replace(/\\(.)/g, (_, each: string) => (each === 'n' ? '\n' : each)),
    ]),
  )
  return { route: labels['route'] ?? '', caller: labels['caller'] ?? '' }
}

function timeText(seconds: number): string {
  return new Date(seconds * 1000).toISOString()
}

function rows({ route, since, sunset, callers }: Deprecation): string {
  const end = sunset === null ? '' : `  sunset ${sunset.slice(0, 10)}`
  const lines = callers.map(
    ({ caller, requests, lastAt }) => `  ${caller}  ${requests}  last ${lastAt}`,
  )
  const all = [
    `${route}  since ${since.slice(0, 10)}${end}`,
    ...(lines.length > 0 ? lines : [NONE]),
  ]
  // Callers choose their program names, and control characters in them could affect the terminal.
  return all.map((line) => `${line.replace(/\p{Cc}/gu, ' ')}\n`).join('')
}

const NONE = '  no caller'
