import type { Timer } from '../../index.js'
import type { MaybePromise, StoreContext } from '../../plugin/index.js'
import type { Driver, Listener } from './driver.js'
import { Breaker, describeFailure, startDeadline, unfitness, waitAtMost } from './failures.js'
import { clientMaker, pauseBefore, tolerateErrors } from './open-client.js'
import { prefixOf, type RedisOptions, timeoutOf } from './redis-options.js'

/**
 * How long the link waits before it checks the server again, in milliseconds. The wait begins when the breaker opens or
 * a reply is overdue.
 */
const PAUSE_MS = 10_000
/** How long startup waits for the server's first response, in milliseconds. */
const FIRST_CONTACT_MS = 1000

/** The callbacks for a reply and for a failure: an error or a missed deadline. */
interface Ends<T, U> {
  readonly read: (value: T) => U
  readonly fail: (error: unknown) => U
}

/**
 * The error if Redis is not available or does not reply before the deadline. All callers share one object, because
 * capturing a stack for each error would take longer than a reply.
 */
export const UNAVAILABLE: Error = new Error('Redis is not available.')

/**
 * A connection that delays a request by at most one deadline. Redis replies in the order of the commands, so while one
 * reply is overdue, later replies cannot arrive. The link then refuses commands immediately. It also refuses them while
 * there is no connection, and after five consecutive late replies, when the breaker opens. After ten seconds, the link
 * checks the server in the background, so requests are not delayed.
 *
 * An unsuitable server can also reply, such as the former primary after a failover. The link then becomes available
 * only after a server accepts a write. Unless the application had connected the client itself, the link reconnects,
 * which resolves the host name again.
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
  /** Whether a server was unsuitable, and no server has accepted a write since. */
  #isUnproven = false
  #overdue = 0
  #check: Timer | undefined
  #outage: { readonly since: number } | undefined
  #attempts = 0
  #self: readonly string[] | undefined
  #leftBehind: readonly string[] | undefined
  #heard: () => void = () => {}

  constructor(options: RedisOptions) {
    this.#options = options
    this.#timeoutMs = timeoutOf(options)
    this.#listeners = [
      ['ready', () => this.#onReady()],
      ['node-ready', () => this.#isReady && this.#onReady()],
      ['error', (error) => this.#onDisconnect(error)],
      ['node-error', (error) => this.#onDisconnect(error)],
    ]
  }

  /** Whether a command would currently be sent. */
  get isAvailable(): boolean {
    return (
      this.#overdue === 0 &&
      !this.#breaker.isOpen &&
      !this.#isUnproven &&
      this.#isReady &&
      this.#driver?.connection.isReady === true
    )
  }

  /** Registers a callback that runs whenever Redis probably replies to commands again. */
  onRecovery(recover: (isNewConnection: boolean) => void): void {
    this.#recoveries.add(recover)
  }

  /**
   * Opens the connection, or shares the existing connection, and counts its users. Waits a limited time for the server
   * to accept or refuse the connection.
   */
  open(context: StoreContext): Promise<void> {
    this.#users++
    this.#opening ??= this.#start(context)
    return this.#opening
  }

  /** Removes one user. Closes the connection when no users are left. */
  async close(): Promise<void> {
    this.#users = Math.max(0, this.#users - 1)
    if (this.#users > 0) return
    this.#opening = undefined
    this.#check?.cancel()
    this.#check = undefined
    this.#disconnect()
    this.#outage = undefined
    this.#isUnproven = false
    this.#self = undefined
    this.#leftBehind = undefined
  }

  /**
   * Sends one or more commands with a shared deadline. Replies after the deadline are ignored.
   *
   * @throws {@link UNAVAILABLE} immediately, at the deadline, or for an unsuitable server; any other error from the
   * client.
   */
  run<T>(send: (driver: Driver) => Promise<T>): Promise<T> {
    const driver = this.#driver
    if (driver === undefined || !this.isAvailable) return Promise.reject(UNAVAILABLE)
    return this.#race(driver, send)
  }

  /**
   * Checks that the server accepts a write.
   *
   * @throws the errors of `run`.
   */
  async check(): Promise<void> {
    await this.run((driver) => this.#write(driver))
  }

  /**
   * Like `run`, but `ends` converts the reply or the failure. An error thrown by `read` counts as a failure.
   *
   * @throws every error that `fail` throws.
   */
  call<T, U>(send: (driver: Driver) => Promise<T>, ends: Ends<T, MaybePromise<U>>): Promise<U> {
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
    const settle = (deliver: () => void) => {
      if (isLate) return this.#arrived(driver)
      cancel()
      this.#breaker.succeed()
      deliver()
    }
    send(driver).then(
      (value) => settle(() => read(value)),
      (error) => settle(() => fail(this.#judge(driver, error))),
    )
  }

  /** Converts an error. For the caller, a server that cannot do its work is an outage. */
  #judge(driver: Driver, error: unknown): unknown {
    const reason = unfitness(error)
    if (reason === undefined) return error
    if (driver === this.#driver && !this.#isUnproven) {
      this.#isUnproven = true
      this.#begin(reason)
      if (this.#isOurs) this.#connectAnew()
      else this.#scheduleCheck()
    }
    return UNAVAILABLE
  }

  /**
   * Uses a connection if its server accepts a write. If not, opens another connection after a pause, or checks the
   * application's own connection again later.
   */
  async #prove(): Promise<void> {
    const driver = this.#driver as Driver
    try {
      await this.#race(driver, (server) => this.#write(server))
      if (driver !== this.#driver) return
      this.#isUnproven = false
      this.#onReady()
    } catch {
      if (driver !== this.#driver) return
      if (!this.#isOurs) return this.#scheduleCheck()
      const pause = pauseBefore(this.#attempts++)
      startDeadline(pause, () => driver === this.#driver && this.#connectAnew())
    }
  }

  /**
   * Sends a write that has no effect. If the client lacks the permission for this command, the check still succeeds,
   * because the server accepts commands.
   */
  async #write({ send }: Driver): Promise<void> {
    await send('UNLINK', `${prefixOf(this.#options)}unused`).catch((error: unknown) => {
      if (describeFailure(error) !== 'NOPERM') throw error
    })
  }

  #late(): void {
    this.#overdue++
    this.#breaker.fail()
    if (this.#breaker.isOpen) this.#begin('no replies in time')
    this.#scheduleCheck()
  }

  /** Handles a reply that arrived after its deadline. After the last overdue reply, the link is available again. */
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
    if (this.#isUnproven && !this.#isOurs && this.#overdue === 0) return this.#prove()
    if (this.#overdue > 0) {
      this.#begin('no reply in time')
      // The server may have disappeared without closing the connection. TCP would retransmit for a quarter of an hour
      // before reporting a failure, so the link reconnects.
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
    if (connection.isReady) return this.#onReady()
    if (!this.#isOurs) return
    driver.connect().then(
      // A client emits `ready`, but a cluster does not, so this uses the promise from `connect`.
      () => driver === this.#driver && !this.#isReady && this.#onReady(),
      (error) => driver === this.#driver && this.#connectLater(error),
    )
  }

  /**
   * Connects again after a pause. A node-redis client retries by itself. A cluster does not if no node replied or some
   * slots have no server.
   */
  #connectLater(error: unknown): void {
    this.#disconnect()
    this.#onDisconnect(error)
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
    this.#leftBehind = this.#self
    this.#connectAnew()
  }

  #connectAnew(): void {
    this.#self = undefined
    this.#disconnect()
    this.#connect()
  }

  #onReady(): void {
    this.#isReady = true
    this.#overdue = 0
    this.#breaker.reset()
    if (this.#isUnproven) {
      this.#heard()
      return void this.#prove()
    }
    this.#attempts = 0
    void this.#replaceOldConnection()
    this.#recover(true)
    this.#heard()
  }

  /**
   * Closes an abandoned connection on the server, because it may still have commands in flight. A server that was only
   * paused would run them after the commands of the new connection, which could restore an outdated entry. The address
   * of the old connection is passed along, because the new connection may reach a different server, where an unrelated
   * client has the same ID.
   */
  async #replaceOldConnection(): Promise<void> {
    const leftBehind = this.#leftBehind
    this.#leftBehind = undefined
    if (!this.#isOurs || 'nodeClient' in (this.#driver as Driver).connection) return
    const command = (...words: string[]) =>
      this.run(({ send }) => send(...words)).catch(() => undefined)
    if (leftBehind !== undefined) void command('CLIENT', 'KILL', ...leftBehind)
    const [, id, address] =
      /\bid=(\d+) addr=(\S+)/.exec(String(await command('CLIENT', 'INFO'))) ?? []
    this.#self = id && address ? ['ID', id, 'ADDR', address] : undefined
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

  #onDisconnect(error: unknown): void {
    if (!this.#driver?.connection.isReady) {
      this.#isReady = false
      if (unfitness(error) !== undefined) this.#isUnproven = true
      this.#begin(describeFailure(error))
    }
    this.#heard()
  }

  /** Logs the start of an outage once. */
  #begin(reason: string): void {
    if (this.#outage !== undefined || this.#context === undefined) return
    const { clock, logger } = this.#context
    this.#outage = { since: clock.monotonic() }
    logger.warn(
      { reason },
      'Redis is not available: no cached value is read or stored, the fallback counts for the rate limits, and requests that need a session or an idempotency record from Redis are refused.',
    )
  }
}
