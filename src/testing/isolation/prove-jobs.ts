import { inspect } from 'node:util'
import type { RanStatement } from '../../contracts/database.js'
import type { JobRunReport, SentJob } from '../../contracts/test-jobs.js'
import type { Canaries } from './canaries.js'
import type { IsolationLeak, IsolationRow } from './isolation-report.js'
import type { Side } from './isolation-side.js'
import type { JobsUnderTest } from './watch-work.js'

/** Limits for the inputs and rows that are searched. */
const SHOWN = { depth: 8, maxStringLength: 100_000, maxArrayLength: 10_000, breakLength: Infinity }
/** The maximum length of a statement in a report. */
const SHOWN_TEXT = 60

/** The parts of an isolation test that are needed to check its jobs. */
export interface JobProofConfig {
  readonly jobs: JobsUnderTest
  readonly sides: readonly Side[]
  readonly canaries: Canaries
  readonly skip: readonly string[]
}

/** Observations about the runs of one job. */
interface Seen {
  readonly isOfTenants: boolean
  runs: number
  /** The sides for whose tenant a run of the job has sent at least one statement. */
  readonly proved: Set<string>
  readonly leaks: Map<string, IsolationLeak>
  error: unknown
}

/**
 * Runs the jobs that the requests of an isolation test send, and searches their inputs and statements for data of other
 * sides.
 */
export class JobProof {
  readonly #config: JobProofConfig
  readonly #seen: ReadonlyMap<string, Seen>
  readonly #since: number

  constructor(config: JobProofConfig) {
    const { jobs } = config.jobs
    this.#config = config
    this.#since = jobs.sent.length
    const known = [...jobs.known].filter(([name]) => !config.skip.includes(name))
    this.#seen = new Map(known.map(([name, { tenant }]) => [name, nothingSeen(tenant)]))
  }

  /** Runs all jobs that are due. */
  async run(): Promise<void> {
    const { jobs, watch } = this.#config.jobs
    const statements = new Map<string, RanStatement[]>()
    watch((id, statement) => statements.set(id, [...(statements.get(id) ?? []), statement]))
    try {
      for (const report of await jobs.drain({ failures: 'keep' }))
        this.#judge(report, statements.get(report.id) ?? [])
    } finally {
      watch(undefined)
    }
  }

  #judge(report: JobRunReport, statements: readonly RanStatement[]): void {
    const seen = this.#seen.get(report.name)
    const side = this.#sideOf(report)
    if (seen === undefined || side === undefined) return
    seen.error ??= report.error
    for (const statement of statements) this.#judgeStatement(report, side, statement)
    if (report.outcome !== 'done') return
    seen.runs++
    if (statements.some(({ tenant }) => tenant === report.tenant)) seen.proved.add(side.name)
  }

  /** The side whose data a job contains; a job without a tenant can contain data of one side. */
  #sideOf({ id, tenant }: JobRunReport): Side | undefined {
    const { sides, canaries } = this.#config
    if (tenant !== null) return sides.find((side) => side.id === tenant)
    const input = this.#sent.find((sent) => sent.id === id)?.input
    const owners = new Set(canaries.find(inspect(input, SHOWN)).map(({ owner }) => owner))
    return owners.size === 1 ? sides.find(({ name }) => owners.has(name)) : undefined
  }

  #judgeStatement(run: JobRunReport, side: Side, statement: RanStatement): void {
    const { text, rows, rowCount, tenant } = statement
    const job = run.name
    const shown = `“${text.replace(/\s+/g, ' ').trim().slice(0, SHOWN_TEXT)}”`
    const others = this.#ownersIn(rows, side)
    for (const from of others)
      this.#report(job, side, from, `ran the job ${job}, whose ${shown} read data of ${from}`)
    // Without row-level security, the owner of the rows that a statement changed is unknown.
    const isOwn = run.tenant === null || tenant === run.tenant || /^\s*insert\b/i.test(text)
    if (isOwn || rowCount === 0 || others.length > 0) return
    const from = this.#config.sides.filter((each) => each !== side).map(({ name }) => name)
    const where = `ran the job ${job}, whose ${shown} touched ${rowCount ?? 'some'} rows without the tenant`
    this.#report(job, side, from.join(' or '), where)
  }

  /** The other sides whose data is in a value. */
  #ownersIn(value: unknown, side: Side): string[] {
    const found = this.#config.canaries.find(inspect(value, SHOWN))
    const foreign = found.filter(
      ({ key, owner }) => owner !== side.name && !side.knownCanaries.has(key),
    )
    return [...new Set(foreign.map(({ owner }) => owner))]
  }

  #report(job: string, { name: to }: Side, from: string, where: string): void {
    const leaks = this.#seen.get(job)?.leaks
    const times = (leaks?.get(to + where)?.times ?? 0) + 1
    const named = { operation: `JOB ${job}`, operationId: job, handler: job }
    const phase = `a run of the job as ${to}`
    leaks?.set(to + where, {
      ...{ ...named, kind: 'job', from, to, where, origin: '', phase, curl: '', times },
    })
  }

  /** Searches the inputs, because a job of one tenant must not contain data of another tenant. */
  #searchInputs(): void {
    for (const { name, tenant, input } of this.#sent) {
      const side = this.#config.sides.find(({ id }) => id === tenant)
      if (side === undefined) continue
      for (const from of this.#ownersIn(input, side))
        this.#report(name, side, from, `is the tenant of a job ${name} with data of ${from}`)
    }
  }

  get #sent(): readonly SentJob[] {
    return this.#config.jobs.jobs.sent.slice(this.#since)
  }

  /**
   * Returns the verdicts and the leaks.
   *
   * @param isWhole Whether all operations were called.
   * @throws Error for a job that was not tested at all.
   */
  end(isWhole: boolean): { readonly verdicts: IsolationRow[]; readonly leaks: IsolationLeak[] } {
    this.#searchInputs()
    const sent = new Set(this.#sent.map(({ name }) => name))
    for (const [name, { isOfTenants, runs, leaks, error }] of this.#seen) {
      if (!isOfTenants || runs > 0 || leaks.size > 0) continue
      if (error !== undefined) throw untested(name, 'every run failed', error)
      if (isWhole && !sent.has(name)) throw untested(name, 'no request sent it')
    }
    return {
      verdicts: [...this.#seen].flatMap(([name, seen]) =>
        seen.isOfTenants || seen.leaks.size > 0 ? [this.#rowOf(name, seen)] : [],
      ),
      leaks: [...this.#seen.values()].flatMap(({ leaks }) => [...leaks.values()]),
    }
  }

  #rowOf(name: string, { runs, proved, leaks }: Seen): IsolationRow {
    const row = { operation: `JOB ${name}`, operationId: name }
    const [leak] = leaks.values()
    if (leak !== undefined) return { ...row, verdict: 'LEAK', evidence: `${leak.to} ${leak.where}` }
    const names = this.#config.sides.map((side) => side.name)
    const blank = names.filter((each) => !proved.has(each)).join(' and ')
    const evidence =
      runs === 0 ? 'no run was due' : `no run of ${blank} sent a statement as its tenant`
    if (blank !== '') return { ...row, verdict: 'INCONCLUSIVE', evidence }
    const all = `the runs of ${names.join(' and ')} touched no row of another tenant`
    return { ...row, verdict: 'PASS', evidence: all }
  }
}

function untested(name: string, why: string, cause?: unknown): Error {
  const shown = cause instanceof Error ? ` (${cause.message})` : ''
  const remedy = `Send it in a request so that it can run, or skip it: skip: ['${name}'].`
  const text = `proveIsolation() did not test the job ${name}: ${why}${shown}. ${remedy}`
  return new Error(text, { cause })
}

function nothingSeen(isOfTenants: boolean): Seen {
  return { isOfTenants, runs: 0, proved: new Set(), leaks: new Map(), error: undefined }
}
