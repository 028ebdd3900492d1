import cluster from 'node:cluster'
import { fileURLToPath, pathToFileURL } from 'node:url'
import type { Metric } from '../../contracts/reports.js'
import { metricText, OPEN, TEXT } from '../../features/metrics/exposition.js'
import type { WorkerText } from '../../features/metrics/join-texts.js'
import { atMost, stopwatch } from '../dev/deadline.js'
import type { Streams } from '../program-context.js'
import { WorkerPool, type WorkerPoolConfig } from './worker-pool.js'

const PRELOAD = fileURLToPath(new URL('./preload.js', import.meta.url))
/** How long a scrape waits for a worker, in milliseconds. */
const SCRAPE_MS = 2000
/**
 * A repeated signal within this time, in milliseconds, is ignored as in `app/signals.ts`: npm sends the signal of
 * Ctrl-C again, although the terminal has already sent it to all processes.
 */
const ECHO_MS = 250

/**
 * Runs an application in workers until a signal ends them.
 *
 * @returns the exit code of the command.
 */
export async function runWorkers(
  entry: string,
  {
    cwd,
    args,
    ...options
  }: Omit<WorkerPoolConfig, 'note' | 'functions'> & { cwd: string; args: readonly string[] },
  { note }: Streams,
): Promise<number> {
  const preload = ['--enable-source-maps', '--import', pathToFileURL(PRELOAD).href]
  const execArgv = [...process.execArgv, ...preload]
  cluster.setupPrimary({ exec: entry, args: [...args], cwd, execArgv })
  const gather = (app: number, isOpen: boolean) => gatherTexts(pool, app, isOpen)
  const pool: WorkerPool = new WorkerPool({ ...options, note, functions: { gather } })
  listenToSignals(pool)
  return await pool.run()
}

/**
 * Handles signals: SIGHUP restarts the workers; SIGTERM and SIGINT end them. A second SIGTERM or SIGINT ends the
 * command immediately with status 1.
 */
export function listenToSignals(pool: Pick<WorkerPool, 'restart' | 'end' | 'kill'>): void {
  let first: { readonly signal: NodeJS.Signals; readonly elapsed: () => number } | undefined
  const end = (signal: NodeJS.Signals) => {
    const isEcho = first?.signal === signal && first.elapsed() < ECHO_MS
    if (first === undefined) pool.end(signal)
    else if (!isEcho) pool.kill()
    first ??= { signal, elapsed: stopwatch() }
  }
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGBREAK'] as const) process.on(signal, end)
  // On Windows, SIGHUP means that the console was closed, and the process ends shortly afterwards.
  if (process.platform !== 'win32') process.on('SIGHUP', () => pool.restart())
}

/** Returns the metrics of all workers and of the primary. Workers that do not respond in time are omitted. */
async function gatherTexts(pool: WorkerPool, app: number, isOpen: boolean): Promise<WorkerText[]> {
  const texts: WorkerText[] = []
  const read = async ({ call, place }: WorkerPool['serving'][number]) => {
    const text = await call('write', app, isOpen)
    if (typeof text === 'string') texts.push({ worker: String(place + 1), text })
  }
  await atMost(SCRAPE_MS, Promise.all(pool.serving.map(read)))
  const own = metricsOf(pool).map((metric) => metricText(metric, isOpen ? OPEN : TEXT))
  return [...texts, { worker: null, text: own.join('') }]
}

/** Returns the metrics that only the primary can count. */
function metricsOf({ alive, counts: { started, ...killed } }: WorkerPool): Metric[] {
  const reasons = Object.entries(killed).map(([reason, value]) => ({ labels: { reason }, value }))
  const [gauge, counter] = ['gauge', 'counter'] as const
  const running = 'Processes that run the application, including processes that are being replaced.'
  const counted = 'Processes that were started, including replacements.'
  const ended =
    'Processes that were killed because they sent no heartbeat or did not close in time.'
  return [
    { name: 'workers_running', help: running, type: gauge, read: () => alive.size },
    { name: 'workers_started_total', help: counted, type: counter, read: () => started },
    { name: 'workers_killed_total', help: ended, type: counter, read: () => reasons },
  ]
}
