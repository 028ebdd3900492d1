/** How a cell ended. */
type State = 'passed' | 'failed' | 'skipped'

interface Result {
  readonly name: string
  readonly state: State
  /** Why a cell was skipped, or failed. */
  readonly reason?: string
}

/** Thrown by a cell that cannot be tried on this machine. */
export class Skip extends Error {}

/** The cells of a row of the matrix: each passes, fails or is skipped with a reason, and those behind it still run. */
export class Results {
  private readonly results: Result[] = []
  private readonly title: string

  constructor(title: string) {
    this.title = title
  }

  /** Runs a cell. Returns whether it passed. */
  async cell(name: string, run: () => Promise<unknown>): Promise<boolean> {
    try {
      await run()
      this.results.push({ name, state: 'passed' })
      return true
    } catch (error) {
      const state = error instanceof Skip ? 'skipped' : 'failed'
      this.results.push({ name, state, reason: String((error as Error).message) })
      return false
    }
  }

  /** The cells that failed, with the output of their programs. */
  get failures(): string[] {
    return this.results
      .filter(({ state }) => state === 'failed')
      .map(({ name, reason }) => `${name}: ${reason}`)
  }

  /** A line for each cell that did not pass, and one for all others. */
  toString(): string {
    const of = (state: State) => this.results.filter((result) => result.state === state)
    const names = of('passed').map(({ name }) => name)
    const others = [...of('failed'), ...of('skipped')].map(
      ({ name, state, reason = '' }) => `  ${state}: ${name}: ${reason.split('\n')[0]}`,
    )
    return [this.title, `  passed: ${names.join(', ')}`, ...others].join('\n')
  }

  /** How many cells ended each way. */
  counts(): Record<State, number> {
    const counts = { passed: 0, failed: 0, skipped: 0 }
    for (const { state } of this.results) counts[state]++
    return counts
  }
}
