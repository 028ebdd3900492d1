import cluster, { type Worker } from 'node:cluster'
import { EventEmitter, once } from 'node:events'
import { constants } from 'node:os'
import { Deadline, every, stopwatch, turn } from '../dev/deadline.js'
import { type Call, connect, type Functions, PLACE_VARIABLE } from './connect.js'

/**
 * The time limit for closing a program that has no application of this package, and the time that is added to the limit
 * of every worker, in milliseconds.
 */
const CLOSE_MS = 30_000
const SLACK_MS = 5000
/** The maximum number of missed heartbeats. */
const BEATS = 4
/** The maximum delay before a worker that never became ready is replaced: 0.5, 1, 2 … 30 s. */
const LONGEST_WAIT_MS = 30_000

/** The options of a {@link WorkerPool}, in seconds. */
export interface WorkerTimes {
  /** How long a new worker can take to become ready when it replaces another worker. */
  readonly timeout: number
  /** How long a worker's event loop can be blocked; 0 for no limit. */
  readonly heartbeat: number
}

/** The configuration of {@link WorkerPool}. */
export interface WorkerPoolConfig extends WorkerTimes {
  readonly workers: number
  /** Prints a line. */
  readonly note: (line: string) => void
  /** The functions that workers can call. */
  readonly functions: Functions
}

/** A process that runs the application, and its reports about itself. */
class PoolWorker {
  /**
   * Whether the worker has an application of this package. If not, the worker is ready when its first server listens.
   */
  hasApps = false
  listens = false
  isReady = false
  /** How long the worker can take to end, in milliseconds. */
  closeMs: number = CLOSE_MS
  /** The number of missed heartbeats. */
  missed = 0
  /** The number of previous workers in this slot that ended before they were ready. */
  failures = 0
  /** Calls a function of the worker. */
  call: Call = async () => {}
  /** The signal with which the command ended the worker. */
  stoppedBy: NodeJS.Signals | undefined
  /** How the worker ended, such as `with status 1` or `by SIGKILL`. */
  ending: string | undefined

  constructor(
    readonly place: number,
    readonly worker: Worker,
  ) {}
}

/**
 * Keeps a number of workers running: replaces workers that have ended or are blocked, and restarts all workers one
 * after the other.
 */
export class WorkerPool {
  /** The running workers. */
  readonly alive: Set<PoolWorker> = new Set()
  /** The number of started workers, and the number of killed workers by reason. */
  readonly counts = { started: 0, heartbeat: 0, close: 0 }
  readonly #config: WorkerPoolConfig
  /** The worker of each slot, excluding replaced workers. */
  readonly #current: PoolWorker[] = []
  readonly #changes = new EventEmitter().setMaxListeners(0)
  #status = 0
  #hasStarted = false
  #isEnding = false
  #isAsked = false
  /** The promise for the start and all restarts, which run one after the other. */
  #work = Promise.resolve()

  constructor(config: WorkerPoolConfig) {
    this.#config = config
  }

  /** The listening workers, excluding replaced workers. */
  get serving(): readonly PoolWorker[] {
    return this.#current.filter(({ listens, ending }) => listens && ending === undefined)
  }

  /**
   * Runs the workers until `end` is called or a worker fails to start.
   *
   * @returns the exit code of the command.
   */
  async run(): Promise<number> {
    const beatMs = (1000 * this.#config.heartbeat) / BEATS
    // Heartbeats are counted instead of timed, because workers must not be killed after the machine was suspended.
    const expectBeats = () => this.alive.forEach((member) => void this.#expectBeat(member))
    const stop = beatMs > 0 ? every(beatMs, expectBeats) : () => {}
    this.#work = this.#start()
    await this.#until(() => this.#isEnding && this.alive.size === 0)
    stop()
    return this.#status
  }

  /**
   * Replaces all workers, one after the other. Any number of calls during a start or a restart cause only one more
   * restart.
   */
  restart(): void {
    if (this.#isAsked) return
    this.#isAsked = true
    this.#work = this.#work.then(() => this.#replaceAll())
  }

  /** Sends all workers the given signal, and kills workers that do not end. */
  end(signal: NodeJS.Signals): void {
    this.#isEnding = true
    for (const member of this.alive) this.#stop(member, signal)
    this.#changes.emit('change')
  }

  /** Ends the command immediately. */
  kill(): never {
    for (const { worker } of this.alive) worker.process.kill('SIGKILL')
    process.exit(1)
  }

  /** Starts one worker first, so that a boot error is printed only once. */
  async #start(): Promise<void> {
    const { workers, note } = this.#config
    const elapsed = stopwatch()
    const serve = (n: number) => this.#until(() => this.#isEnding || this.serving.length === n)
    this.#current[0] = this.#fork(0)
    await serve(1)
    for (let place = 1; place < workers && !this.#isEnding; place++) {
      this.#current[place] = this.#fork(place)
    }
    await serve(workers)
    if (this.#isEnding) return
    this.#hasStarted = true
    note(`blazon start: ${workers} workers listen, started in ${elapsed()} ms`)
  }

  async #replaceAll(): Promise<void> {
    this.#isAsked = false
    const elapsed = stopwatch()
    for (const place of this.#current.keys()) if (!(await this.#replace(place))) return
    const count = this.#current.length
    this.#config.note(`blazon start: all ${count} workers were replaced in ${elapsed()} ms.`)
  }

  /** Starts a worker. When it is ready, retires the worker that it replaces. */
  async #replace(place: number): Promise<boolean> {
    if (this.#isEnding) return false
    const { timeout } = this.#config
    const next = this.#fork(place)
    const isDecided = () => next.isReady || next.ending !== undefined || this.#isEnding
    await this.#until(isDecided, timeout * 1000)
    if (this.#isEnding) return false
    if (!next.isReady || next.ending !== undefined) {
      const late = `was not ready within ${timeout} s, and is stopped`
      const why = next.ending === undefined ? late : `ended ${next.ending}`
      this.#note(next, `${why}. The restart is aborted, and the running workers continue.`)
      this.#stop(next, 'SIGTERM')
      return false
    }
    const old = this.#current[place] as PoolWorker
    this.#current[place] = next
    this.#stop(old, 'SIGTERM', true)
    await this.#until(() => old.ending !== undefined)
    return true
  }

  #fork(place: number): PoolWorker {
    const { workers, heartbeat, functions } = this.#config
    const beatMs = (1000 * heartbeat) / BEATS
    const own = { workers, isSpeaker: !this.#hasStarted && place === 0, beatMs }
    const worker = fork({ [PLACE_VARIABLE]: JSON.stringify(own) })
    const member = new PoolWorker(place, worker)
    const note = (facts: Partial<PoolWorker>) => {
      Object.assign(member, facts)
      this.#changes.emit('change')
    }
    member.call = connect(worker.process, { ...functions, note })
    returnConnections(worker, () => this.serving.length > 0)
    worker.on('listening', () => !member.hasApps && note({ listens: true, isReady: true }))
    worker.once('exit', (status: number | null, signal: NodeJS.Signals | null) => {
      if (signal === null) this.#hasEnded(member, status ?? 1, `with status ${status}`)
      // A worker that has not called `listen` has nothing to close, so the command's signal ends it immediately.
      else if (signal === member.stoppedBy) this.#hasEnded(member, 0, `by ${signal}`)
      else this.#hasEnded(member, 128 + constants.signals[signal], `by ${signal}`)
    })
    // Node emits this event if the operating system could not create the process, and also if Node could not pass a
    // connection to a process that has ended.
    worker.on('error', ({ message }) => {
      if (worker.process.pid === undefined)
        this.#hasEnded(member, 1, `before it started: ${message}`)
    })
    this.counts.started += 1
    this.alive.add(member)
    return member
  }

  #expectBeat(member: PoolWorker): void {
    if (member.listens) member.missed += 1
    if (member.missed !== BEATS + 1) return
    this.#kill(member, 'heartbeat', `has not responded for ${this.#config.heartbeat} s`)
  }

  #hasEnded(member: PoolWorker, status: number, ending: string): void {
    member.ending = ending
    this.alive.delete(member)
    const isCurrent = this.#current[member.place] === member
    if (isCurrent && (this.#isEnding || !(this.#hasStarted || member.listens))) {
      this.#status ||= status
      if (!this.#isEnding) this.end('SIGTERM')
    } else if (isCurrent) void this.#repair(member)
    this.#changes.emit('change')
  }

  /**
   * Replaces a worker that has ended. The next worker is delayed only if this worker never became ready. With a delay
   * after every crash, a request that crashes workers could stop the service.
   */
  async #repair(member: PoolWorker): Promise<void> {
    const { place, isReady, ending } = member
    const failures = isReady ? 0 : member.failures + 1
    const ms = isReady ? 0 : Math.min(LONGEST_WAIT_MS, 250 * 2 ** failures)
    const wait = isReady ? 'now' : `in ${ms / 1000} s`
    this.#note(member, `ended ${ending}. Another one starts ${wait}.`)
    await this.#until(() => this.#isEnding, ms)
    // A restart may have filled the slot in the meantime.
    if (this.#isEnding || this.#current[place] !== member) return
    this.#current[place] = Object.assign(this.#fork(place), { failures })
  }

  #stop(member: PoolWorker, signal: NodeJS.Signals, isRetired = false): void {
    if (member.stoppedBy !== undefined || member.ending !== undefined) return
    member.stoppedBy = signal
    void member.call('end', signal, isRetired)
    const ms = member.closeMs + SLACK_MS
    void this.#until(() => member.ending !== undefined, ms).then(() => {
      if (member.ending === undefined)
        this.#kill(member, 'close', `has not ended within ${ms / 1000} s`)
    })
  }

  #kill(member: PoolWorker, reason: 'heartbeat' | 'close', why: string): void {
    this.counts[reason] += 1
    this.#note(member, `${why}, and is killed.`)
    member.worker.process.kill('SIGKILL')
  }

  /** Waits until a condition is true, but no longer than `ms` milliseconds. */
  async #until(holds: () => boolean, ms = 2 ** 31 - 1): Promise<void> {
    let isLate = false
    const deadline = new Deadline(ms, () => {
      isLate = true
      this.#changes.emit('change')
    })
    while (!holds() && !isLate) await once(this.#changes, 'change')
    deadline.cancel()
  }

  #note({ place, worker }: PoolWorker, text: string): void {
    const { pid = 'none' } = worker.process
    this.#config.note(`blazon start: worker ${place + 1} (process ${pid}) ${text}`)
  }
}

/** Starts a worker. Node emits some system errors (EAGAIN), but throws others (ENOMEM). This function emits both. */
function fork(env: Readonly<Record<string, string>>): Worker {
  try {
    return cluster.fork(env)
  } catch (error) {
    const child = Object.assign(new EventEmitter(), { send() {}, kill() {} })
    const worker = Object.assign(new EventEmitter(), { process: child })
    void turn().then(() => worker.emit('error', error))
    return worker as unknown as Worker
  }
}

/** A message between the primary and a worker of `node:cluster`. The types of `node:cluster` do not describe it. */
interface Handover {
  readonly act?: string
  readonly seq?: number
  readonly ack?: number
}

interface Child extends EventEmitter {
  send(message: Handover, handle?: { close(): void }, ...rest: unknown[]): boolean
}

/**
 * When a worker has ended, passes its unaccepted connections to other workers, or closes these connections if there are
 * no other workers. Without this function, `node:cluster` and the client would wait forever for the worker's reply.
 * Node has not read from these connections, so another worker receives all their data. If a Node version uses other
 * messages, this function finds no connections and has no effect.
 */
function returnConnections(worker: Worker, hasOthers: () => boolean): void {
  const child = worker.process as EventEmitter as Child
  const waiting = new Map<number | undefined, { close(): void }>()
  const send = child.send.bind(child)
  child.send = (message, handle, ...rest) => {
    if (message.act === 'newconn' && handle) waiting.set(message.seq, handle)
    return send(message, handle, ...rest)
  }
  child.on('internalMessage', ({ ack }: Handover) => void waiting.delete(ack))
  worker.once('exit', async () => {
    // Waits until the worker's last messages have been handled.
    await turn()
    // Without the reply to a handle, Node may not detect that the channel is closed.
    if (cluster.workers?.[worker.id] !== undefined) child.emit('disconnect')
    for (const [ack, handle] of waiting) {
      if (!hasOthers()) handle.close()
      else child.emit('internalMessage', { cmd: 'NODE_CLUSTER', ack, accepted: false })
    }
  })
}
