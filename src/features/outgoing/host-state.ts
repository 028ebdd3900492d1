/** A share of the calls to a host may be sent again; a few always, because the share of few calls is none. */
const MOST_REPEATED = 0.1
const FEW = 10
/** Calls are counted for so long. Repeated calls of a bad minute do not count in the next one. */
const WINDOW_MS = 60_000
const FAILURES = 5
const OPEN_MS = 10_000
/** Strangers' URLs have any number of hosts. */
const MOST_HOSTS = 1000

/** The state of another host, as calls have found it. */
export class HostState {
  #since = Number.NEGATIVE_INFINITY
  #calls = 0
  #repeated = 0
  /** How many calls have failed since one succeeded. */
  #failures = 0
  #openUntil = Number.NEGATIVE_INFINITY

  /** Notes a call of the program. */
  count(now: number): void {
    if (now - this.#since >= WINDOW_MS) {
      this.#since = now
      this.#calls = this.#repeated = 0
    }
    this.#calls += 1
  }

  /** Whether a call may be sent again now. If so, it is counted. */
  takeRepetition(): boolean {
    if (this.#repeated >= Math.max(FEW, Math.floor(this.#calls * MOST_REPEATED))) return false
    this.#repeated += 1
    return true
  }

  /** Whether calls are refused. */
  isOpen(now: number): boolean {
    return this.#failures >= FAILURES && now < this.#openUntil
  }

  /** Milliseconds for which a call is refused; 0 if it may be sent. After that time, one call tries whether the host works. */
  enter(now: number): number {
    if (this.#failures < FAILURES) return 0
    if (now < this.#openUntil) return this.#openUntil - now
    this.#openUntil = now + OPEN_MS
    return 0
  }

  /** Notes the result of a call: whether the host has failed; `null` if that is not known. */
  note(hasFailed: boolean | null, now: number): void {
    if (hasFailed === null) return
    this.#failures = hasFailed ? this.#failures + 1 : 0
    if (this.#failures >= FAILURES) this.#openUntil = now + OPEN_MS
  }
}

/** The states of all hosts that an application has called. */
export class HostStates {
  readonly #states = new Map<string, HostState>()

  /** Returns the state of a host. Of very many hosts, the first is forgotten. */
  of(host: string): HostState {
    const known = this.#states.get(host)
    if (known !== undefined) return known
    const [oldest] = this.#states.size < MOST_HOSTS ? [] : this.#states.keys()
    if (oldest !== undefined) this.#states.delete(oldest)
    const made = new HostState()
    this.#states.set(host, made)
    return made
  }

  /** Lists the hosts to which calls are refused. */
  open(now: number): string[] {
    return [...this.#states].flatMap(([host, state]) => (state.isOpen(now) ? [host] : []))
  }
}
