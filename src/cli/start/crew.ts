import type { Clock, Timer } from '../../contracts/clock.js'
import { Backoff } from './backoff.js'
import type { CrewMember, Ending } from './worker-process.js'

/** How long a restart waits for the end of a worker that was replaced, before it replaces the next one; and for one that failed. */
const RETIRE_MS = 30_000

/** The input of {@link Crew}. */
export interface CrewConfig<T extends CrewMember> {
  readonly workers: number
  /** How long a worker that replaces another one may take until it is ready. */
  readonly readyMs: number
  /** Starts a worker in a place: 0, 1, … The first one speaks for all. */
  readonly fork: (place: number, isFirst: boolean) => T
  readonly clock: Pick<Clock, 'monotonic' | 'setTimeout'>
  /** Prints a line. */
  readonly note: (line: string) => void
}

/** The place of a worker. */
interface Slot<T> {
  readonly index: number
  readonly backoff: Backoff
  current: T | undefined
  /** The worker that is to replace `current`. */
  next: T | undefined
  /** Whether a worker has listened here. If none has, the command ends with it. */
  hasListened: boolean
  /** Starts the next worker after a crash. */
  timer: Timer | undefined
}

/** Keeps so many workers running: replaces those that end, and all of them one after the other. */
export class Crew<T extends CrewMember> {
  /** Settles when the crew was ended and all workers have ended: with the exit code of the command. */
  readonly ended: Promise<number>
  readonly #config: CrewConfig<T>
  readonly #slots: Slot<T>[]
  readonly #alive = new Set<T>()
  readonly #retiring = new WeakSet<T>()
  /** Those that have never served, and whose end is not that of the program. */
  readonly #discarded = new WeakSet<T>()
  #settle: (status: number) => void = () => {}
  #status = 0
  #hasStarted = false
  #isEnding = false
  #isRestarting = false
  #restartsAgain = false

  constructor(config: CrewConfig<T>) {
    this.#config = config
    this.#slots = Array.from({ length: config.workers }, (_, index) => ({
      index,
      backoff: new Backoff(),
      current: undefined,
      next: undefined,
      hasListened: false,
      timer: undefined,
    }))
    this.ended = new Promise((resolve) => {
      this.#settle = resolve
    })
  }

  /** The workers that run. */
  get members(): readonly T[] {
    return [...this.#alive]
  }

  /** The workers that listen, without those that another one has replaced. */
  get serving(): readonly T[] {
    return this.#slots.flatMap(({ current }) => current ?? [])
  }

  /**
   * Starts the workers: first one, so that an error of boot is printed once, then the others.
   *
   * @returns whether all of them listen. If not, the others were ended.
   */
  async start(): Promise<boolean> {
    const [first, ...others] = this.#slots
    const begin = async (slot: Slot<T>) => {
      slot.hasListened = await this.#begin(slot, slot === first).listens
      return slot.hasListened
    }
    const listens = (await begin(first as Slot<T>)) && !this.#isEnding
    const all = listens ? await Promise.all(others.map(begin)) : [false]
    this.#hasStarted = !this.#isEnding && all.every((each) => each)
    if (!this.#hasStarted) this.end('SIGTERM')
    else if (this.#restartsAgain) void this.restart()
    return this.#hasStarted
  }

  /** Replaces all workers, one after the other. During a start or a restart, any number of calls asks for one more. */
  async restart(): Promise<void> {
    this.#restartsAgain = true
    if (!this.#hasStarted || this.#isRestarting) return
    this.#isRestarting = true
    while (this.#restartsAgain && !this.#isEnding) {
      this.#restartsAgain = false
      await this.#replaceAll()
    }
    this.#isRestarting = false
  }

  /** Asks all workers to end. */
  end(signal: NodeJS.Signals): void {
    this.#isEnding = true
    for (const { timer, next } of this.#slots) {
      timer?.cancel()
      if (next !== undefined) this.#discarded.add(next)
    }
    for (const worker of this.#alive) if (!this.#retiring.has(worker)) worker.end(signal)
    this.#settleIfEnded()
  }

  /** Ends all workers at once. */
  kill(): void {
    this.#isEnding = true
    for (const worker of this.#alive) worker.kill()
  }

  #begin(slot: Slot<T>, isFirst = false): T {
    slot.timer?.cancel()
    slot.timer = undefined
    const worker = this.#fork(slot, isFirst)
    slot.current = worker
    void this.#warnIfLate(slot, worker)
    return worker
  }

  #fork(slot: Slot<T>, isFirst = false): T {
    const worker = this.#config.fork(slot.index, isFirst)
    const since = this.#config.clock.monotonic()
    this.#alive.add(worker)
    void worker.ended.then((ending) => {
      this.#alive.delete(worker)
      this.#hasEnded({ slot, worker, ending, ranMs: this.#config.clock.monotonic() - since })
    })
    return worker
  }

  #hasEnded({ slot, worker, ending, ranMs }: EndedWorker<T>): void {
    const isCurrent = slot.current === worker
    if (isCurrent) slot.current = undefined
    if (this.#isEnding || !slot.hasListened) {
      if (!this.#discarded.has(worker)) this.#status ||= ending.status
      this.#settleIfEnded()
    } else if (this.#retiring.has(worker)) {
      if (ending.status === 0) return
      this.#note(`worker ${nameOf(slot, worker)}, which was replaced, ended ${ending.how}.`)
    } else if (isCurrent) this.#repair(slot, { worker, ending, ranMs })
  }

  /** Nothing else says why there is a worker less: a start may wait for a database that does not respond. */
  async #warnIfLate(slot: Slot<T>, worker: T): Promise<void> {
    const { readyMs } = this.#config
    const listens = await this.#within(readyMs, worker.listens)
    if (listens !== undefined || this.#isEnding || slot.current !== worker) return
    this.#note(
      `worker ${nameOf(slot, worker)} does not listen after ${readyMs / 1000} s. The command goes on waiting.`,
    )
  }

  #repair(slot: Slot<T>, { worker, ending, ranMs }: Omit<EndedWorker<T>, 'slot'>): void {
    const ms = slot.backoff.failed(ranMs)
    const wait = ms === 0 ? 'now' : `in ${ms / 1000} s`
    const what =
      slot.next === undefined ? `Another one starts ${wait}` : 'Another one starts already'
    this.#note(`worker ${nameOf(slot, worker)} ended ${ending.how}. ${what}.`)
    if (slot.next !== undefined) return
    slot.timer = this.#config.clock.setTimeout(() => void this.#begin(slot), ms)
  }

  async #replaceAll(): Promise<void> {
    const begin = this.#config.clock.monotonic()
    for (const slot of this.#slots) {
      if (!(await this.#replace(slot))) return
    }
    const ms = Math.round(this.#config.clock.monotonic() - begin)
    this.#note(`all ${this.#slots.length} workers were replaced in ${ms} ms.`)
  }

  /** Starts a worker, and retires the one that it replaces when it is ready. */
  async #replace(slot: Slot<T>): Promise<boolean> {
    if (this.#isEnding) return false
    slot.timer?.cancel()
    const next = this.#fork(slot)
    slot.next = next
    const isReady = await this.#within(this.#config.readyMs, next.ready)
    slot.next = undefined
    if (this.#isEnding) return false
    if (isReady !== true || next.hasEnded) {
      await this.#giveUp(slot, next)
      return false
    }
    const old = slot.current
    slot.current = next
    if (old === undefined) return true
    this.#retiring.add(old)
    old.retire()
    await this.#within(RETIRE_MS, old.ended)
    return !this.#isEnding
  }

  async #giveUp(slot: Slot<T>, next: T): Promise<void> {
    const { readyMs } = this.#config
    this.#discarded.add(next)
    const why = next.hasEnded
      ? `ended ${(await next.ended).how}`
      : `was not ready within ${readyMs / 1000} s, and is ended`
    this.#note(
      `the new worker ${nameOf(slot, next)} ${why}. The restart stops here, and the workers that run keep serving.`,
    )
    void this.#dismiss(next)
    // The old one has ended meanwhile.
    if (slot.current === undefined && !this.#isEnding) this.#begin(slot)
  }

  /** A worker that listens may have connections: to kill it would leave their clients waiting. */
  async #dismiss(worker: T): Promise<void> {
    worker.retire()
    await this.#within(RETIRE_MS, worker.ended)
    if (!worker.hasEnded) worker.kill()
  }

  /** `undefined` if it takes longer. */
  #within<V>(ms: number, promise: Promise<V>): Promise<V | undefined> {
    return new Promise((resolve) => {
      const timer = this.#config.clock.setTimeout(() => resolve(undefined), ms)
      void promise.then((value) => {
        timer.cancel()
        resolve(value)
      })
    })
  }

  #settleIfEnded(): void {
    if (this.#isEnding && this.#alive.size === 0) this.#settle(this.#status)
  }

  #note(text: string): void {
    this.#config.note(`blazon start: ${text}`)
  }
}

/** A worker that has ended. */
interface EndedWorker<T> {
  readonly slot: Slot<T>
  readonly worker: T
  readonly ending: Ending
  readonly ranMs: number
}

function nameOf({ index }: { readonly index: number }, { pid }: CrewMember): string {
  return pid === undefined ? `${index + 1}` : `${index + 1} (process ${pid})`
}
