import cluster, { type Address } from 'node:cluster'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { urlOf } from '../../app/start-line.js'
import { systemClock } from '../../app/system-clock.js'
import { every, stopwatch } from '../dev/deadline.js'
import type { Streams } from '../streams.js'
import { Crew } from './crew.js'
import { MetricsHub } from './metrics-hub.js'
import { ownMetrics } from './own-metrics.js'
import { listenToSignals } from './primary-signals.js'
import type { StartOptions } from './start-options.js'
import { WorkerProcess, type WorkerStart } from './worker-process.js'

const PRELOAD = fileURLToPath(new URL('./worker/preload.js', import.meta.url))
const DAY_MS = 86_400_000

/**
 * Runs an application in workers until a signal ends them.
 *
 * @returns the exit code of the command.
 */
export async function runWorkers(
  entry: string,
  options: StartOptions & { readonly workers: number },
  streams: Streams,
): Promise<number> {
  const { workers, timeout } = options
  prepare(entry, options)
  const elapsed = stopwatch()
  const started = { count: 0 }
  const hub: MetricsHub = new MetricsHub(() => ownMetrics({ crew, hub, started: started.count }))
  const crew: Crew<WorkerProcess> = new Crew<WorkerProcess>({
    workers,
    readyMs: timeout * 1000,
    clock: systemClock,
    note: streams.note,
    fork(place, isFirst) {
      started.count += 1
      const facts = { label: String(place + 1), workers, isSpeaker: isFirst }
      return forkWorker(hub, { ...facts, pass: passTo(() => crew.serving) })
    },
  })
  const signals = listenToSignals(crew)
  // While all workers wait for their next start, nothing else keeps the process alive.
  const stopHolding = every(DAY_MS, () => {})
  if (await crew.start()) streams.note(startLine(crew.members, elapsed()))
  const status = await crew.ended
  stopHolding()
  signals.stop()
  return status
}

function prepare(entry: string, { cwd, args }: StartOptions): void {
  cluster.setupPrimary({
    exec: entry,
    args: [...args],
    cwd,
    execArgv: [
      ...process.execArgv,
      '--enable-source-maps',
      '--import',
      pathToFileURL(PRELOAD).href,
    ],
    // Metrics have numbers that JSON has not: NaN, and infinite ones.
    serialization: 'advanced',
  })
}

function forkWorker(hub: MetricsHub, start: Omit<WorkerStart, 'receive'>): WorkerProcess {
  const worker = new WorkerProcess({
    ...start,
    receive: (from, message) => hub.receive(from, message),
  })
  void worker.ended.then(() => hub.ended(worker))
  return worker
}

/** Gives the connections of a worker to those that serve, in turns. */
function passTo(serving: () => readonly WorkerProcess[]): WorkerStart['pass'] {
  let turn = 0
  return (worker, server, socket) => {
    const others = serving().filter((other) => other !== worker)
    turn += 1
    const next = others[turn % others.length]
    if (next === undefined) socket.destroy()
    else next.connect(server, socket)
  }
}

function startLine(workers: readonly WorkerProcess[], ms: number): string {
  const urls = new Set(workers.flatMap(({ addresses }) => addresses.map(urlOfServer)))
  return `blazon start: ${workers.length} workers listen on ${[...urls].join(', ')}, started in ${ms} ms`
}

/** A server of all addresses of the machine has no address, and one of a Unix socket has its path and no port. */
function urlOfServer({ address, port, addressType }: Address): string {
  // The types lack `null`, and the address of a socket.
  const given = address as string | null
  if (addressType === -1) return urlOf(given ?? '')
  const family = addressType === 6 ? 'IPv6' : 'IPv4'
  return urlOf({ address: given ?? '::', port, family })
}
