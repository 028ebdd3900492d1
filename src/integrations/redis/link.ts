import type { MaybePromise, StoreContext, Timer } from '../../index.js'
import { Breaker } from './breaker.js'
import { startDeadline, waitAtMost } from './deadline.js'
import { describeFailure } from './describe-failure.js'
import type { Driver, Listener } from './driver.js'
import { clientMaker, pauseBefore } from './open-client.js'
import { type RedisOptions, timeoutOf } from './redis-options.js'

/** How long nothing is asked once the breaker is open, and how long an answer may be missing, in milliseconds. */
const PAUSE_MS = 10_000
/** How long a start waits for a server that says neither yes nor no, in milliseconds. */
const FIRST_CONTACT_MS = 1000

/** What is made of a reply, and of anything else: an error, a deadline that has passed. */
interface Ends<T, U> {
  readonly read: (value: T) => U
  readonly fail: (error: unknown) => U
}

/** Redis was not asked, or did not answer in time. Made once: a stack for each would cost more than the answer. */
export const UNAVAILABLE: Error = new Error('Redis is not available.')

/**
 * A connection that costs at most one deadline. Answers come in the order of the commands, so while one is overdue no
 * other can come sooner: commands are refused at once then, as they are while there is no connection, and while the breaker
 * is open, after five late answers in a row. Ten seconds later it is this link that tries again, not a request.
 */
export class Link {
  readonly #options: RedisOptions
  readonly #timeoutMs: number
  readonly #breaker = new Breaker()
  readonly #recoveries = new Set<(isNewConnection: boolean) => void>()
  readonly #listeners: readonly (readonly [event: string, listener: Listener])[]
  #users = 0
  #opening: Promise<void> | undefined
  #context: StoreContext | undefined
  #make: (() => Driver) | undefined
  #driver: Driver | undefined
  #isOurs = false
  #isReady = false
  #overdue = 0
  #check: Timer | undefined
  #outage: { readonly since: number } | undefined
  #attempts = 0
  #clientId: string | undefined
  #leftBehind: string | undefined
  #heard: () => void = () => {}

  constructor(options: RedisOptions) {
    this.#options = options
    this.#timeoutMs = timeoutOf(options)
    this.#listeners = [
      ['ready', () => this.#up()],
      ['node-ready', () => this.#isReady && this.#up()],
      ['error', (error) => this.#down(error)],
      ['node-error', (error) => this.#down(error)],
    ]
  }

  /** Whether a command would be sent now. */
  get isAvailable(): boolean {
    return (
      this.#overdue === 0 &&
      !this.#breaker.isOpen &&
      this.#isReady &&
      this.#driver?.connection.isReady === true
    )
  }

  /** Calls `recover` whenever there is reason to believe that commands are answered again. */
  onRecovery(recover: (isNewConnection: boolean) => void): void {
    this.#recoveries.add(recover)
  }

  /** Opens the connection for one more user. Waits for an answer, be it a refusal, but not for long. */
  open(context: StoreContext): Promise<void> {
    this.#users++
    this.#opening ??= this.#start(context)
    return this.#opening
  }

  /** Closes the connection with its last user. */
  async close(): Promise<void> {
    this.#users = Math.max(0, this.#users - 1)
    if (this.#users > 0) return
    this.#opening = undefined
    this.#check?.cancel()
    this.#check = undefined
    this.#disconnect()
    this.#outage = undefined
    this.#clientId = undefined
    this.#leftBehind = undefined
  }

  /**
   * Runs what sends commands, with one deadline for all of it. What comes later is dropped.
   *
   * @throws {@link UNAVAILABLE} at once or at the deadline; what the client throws.
   */
  run<T>(send: (driver: Driver) => Promise<T>): Promise<T> {
    const driver = this.#driver
    if (driver === undefined || !this.isAvailable) return Promise.reject(UNAVAILABLE)
    return this.#race(driver, send)
  }

  /**
   * As `run`, and makes something of whatever comes of it; what `read` throws is a failure, too.
   *
   * @throws what `fail` throws.
   */
  ask<T, U>(send: (driver: Driver) => Promise<T>, ends: Ends<T, MaybePromise<U>>): Promise<U> {
    const driver = this.#driver
    return new Promise((resolve, reject) => {
      const fail = (error: unknown) => {
        try {
          resolve(ends.fail(error))
        } catch (worse) {
          reject(worse)
        }
      }
      const read = (value: T) => {
        try {
          resolve(ends.read(value))
        } catch (error) {
          fail(error)
        }
      }
      if (driver === undefined || !this.isAvailable) return fail(UNAVAILABLE)
      this.#send(driver, send, { read, fail })
    })
  }

  #race<T>(driver: Driver, send: (driver: Driver) => Promise<T>): Promise<T> {
    return new Promise((read, fail) => this.#send(driver, send, { read, fail }))
  }

  #send<T>(
    driver: Driver,
    send: (driver: Driver) => Promise<T>,
    { read, fail }: Ends<T, void>,
  ): void {
    let isLate = false
    const cancel = startDeadline(this.#timeoutMs, () => {
      isLate = true
      if (driver === this.#driver) this.#late()
      fail(UNAVAILABLE)
    })
    const settle = (answer: () => void) => {
      if (isLate) return this.#arrived(driver)
      cancel()
      this.#breaker.succeed()
      answer()
    }
    send(driver).then(
      (value) => settle(() => read(value)),
      (error) => settle(() => fail(error)),
    )
  }

  #late(): void {
    this.#overdue++
    this.#breaker.fail()
    if (this.#breaker.isOpen) this.#begin('no answers')
    this.#scheduleCheck()
  }

  /** An answer that nobody waits for any more: those behind it are on their way. */
  #arrived(driver: Driver): void {
    if (driver !== this.#driver || this.#overdue === 0) return
    this.#overdue--
    if (this.isAvailable) this.#recover(false)
  }

  #scheduleCheck(): void {
    this.#check ??= this.#context?.clock.setTimeout(() => {
      this.#check = undefined
      void this.#tryAgain()
    }, PAUSE_MS)
  }

  async #tryAgain(): Promise<void> {
    const driver = this.#driver
    if (driver === undefined || this.isAvailable || !this.#isReady) return
    if (this.#overdue > 0) {
      this.#begin('no answer')
      // The other end may be gone without a word: what was sent is not repeated for a quarter of an hour.
      if (this.#isOurs) return this.#reconnect()
      return this.#scheduleCheck()
    }
    try {
      await this.#race(driver, async () => {
        const masters = await driver.masters()
        return Promise.all(masters.map((send) => send('PING')))
      })
      this.#breaker.reset()
      this.#recover(false)
    } catch {
      this.#scheduleCheck()
    }
  }

  async #start(context: StoreContext): Promise<void> {
    this.#context = context
    this.#make ??= await clientMaker(this.#options)
    const contact = new Promise<void>((resolve) => {
      this.#heard = resolve
    })
    this.#connect()
    await waitAtMost(FIRST_CONTACT_MS, contact)
  }

  #connect(): void {
    const driver = (this.#make as () => Driver)()
    const { connection } = driver
    this.#driver = driver
    this.#isOurs = !connection.isOpen
    if (this.#isOurs) tolerateErrors(connection)
    for (const [event, listener] of this.#listeners) connection.on(event, listener)
    if (connection.isReady) return this.#up()
    if (!this.#isOurs) return
    driver.connect().then(
      // A cluster does not say `ready`.
      () => driver === this.#driver && !this.#isReady && this.#up(),
      (error) => driver === this.#driver && this.#connectLater(error),
    )
  }

  /** A client tries again by itself; a cluster does not of which no node answers, or not all are there. */
  #connectLater(error: unknown): void {
    this.#disconnect()
    this.#down(error)
    const pause = pauseBefore(this.#attempts++)
    startDeadline(pause, () => this.#users > 0 && this.#driver === undefined && this.#connect())
  }

  #disconnect(): void {
    const connection = this.#driver?.connection
    this.#driver = undefined
    this.#isReady = false
    this.#overdue = 0
    this.#breaker.reset()
    if (connection === undefined) return
    for (const [event, listener] of this.#listeners) connection.off(event, listener)
    if (this.#isOurs) connection.destroy()
  }

  #reconnect(): void {
    this.#leftBehind = this.#clientId
    this.#clientId = undefined
    this.#disconnect()
    this.#connect()
  }

  #up(): void {
    this.#isReady = true
    this.#attempts = 0
    this.#overdue = 0
    this.#breaker.reset()
    void this.#introduce()
    this.#recover(true)
    this.#heard()
  }

  /**
   * A connection that was given up may still have commands under way, which a server that was only asleep would
   * carry out after those of this one: an old entry would come back. So it is closed on the server, too.
   */
  async #introduce(): Promise<void> {
    const leftBehind = this.#leftBehind
    this.#leftBehind = undefined
    if (!this.#isOurs || 'nodeClient' in (this.#driver as Driver).connection) return
    const ask = (...words: string[]) =>
      this.run(({ send }) => send(...words)).catch(() => undefined)
    if (leftBehind !== undefined) void ask('CLIENT', 'KILL', 'ID', leftBehind)
    const id = await ask('CLIENT', 'ID')
    this.#clientId = id === undefined ? undefined : String(id)
  }

  #recover(isNewConnection: boolean): void {
    const { clock, logger } = this.#context as StoreContext
    if (this.#outage !== undefined) {
      const seconds = Math.round((clock.monotonic() - this.#outage.since) / 1000)
      logger.info({ seconds }, 'Redis is available again.')
      this.#outage = undefined
    }
    for (const recover of this.#recoveries) recover(isNewConnection)
  }

  #down(error: unknown): void {
    if (!this.#driver?.connection.isReady) {
      this.#isReady = false
      this.#begin(describeFailure(error))
    }
    this.#heard()
  }

  /** Says once in an outage that there is one. */
  #begin(reason: string): void {
    if (this.#outage !== undefined || this.#context === undefined) return
    const { clock, logger } = this.#context
    this.#outage = { since: clock.monotonic() }
    logger.warn(
      { reason },
      'Redis is not available: nothing is cached, and every process counts its rate limits alone.',
    )
  }
}

/**
 * Errors of what is being torn down are nobody's business, but an `error` that nobody hears is thrown, and ends the process. Heard
 * from the beginning and for ever: a client of node-redis inherits from another that emits, and once the last listener of the
 * first one is gone, what is added to it is not heard by the second any more.
 */
function tolerateErrors(connection: Driver['connection']): void {
  if (!connection.listeners('error').includes(ignore)) connection.on('error', ignore)
}

function ignore(): void {}
