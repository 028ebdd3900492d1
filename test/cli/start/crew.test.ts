import { describe, expect, it } from 'vitest'
import { Crew } from '../../../src/cli/start/crew.js'
import type { CrewMember, Ending } from '../../../src/cli/start/worker-process.js'

/** A worker without a process: the test decides what happens to it. */
class FakeWorker implements CrewMember {
  readonly pid: number
  hasEnded = false
  listens: Promise<boolean>
  ready: Promise<boolean>
  ended: Promise<Ending>
  isRetired = false
  isKilled = false
  signal: string | undefined
  #listen: (listens: boolean) => void = () => {}
  #becomeReady: (isReady: boolean) => void = () => {}
  #end: (ending: Ending) => void = () => {}

  constructor(pid: number) {
    this.pid = pid
    this.listens = new Promise((resolve) => {
      this.#listen = resolve
    })
    this.ready = new Promise((resolve) => {
      this.#becomeReady = resolve
    })
    this.ended = new Promise((resolve) => {
      this.#end = resolve
    })
  }

  async serve(): Promise<void> {
    this.#listen(true)
    this.#becomeReady(true)
    await turns()
  }

  async exit(status = 0): Promise<void> {
    this.hasEnded = true
    this.#listen(false)
    this.#becomeReady(false)
    this.#end({ status, how: `with status ${status}` })
    await turns()
  }

  retire(): void {
    this.isRetired = true
  }

  end(signal: string): void {
    this.signal = signal
  }

  kill(): void {
    this.isKilled = true
    void this.exit(137)
  }
}

async function turns(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve))
}

/** A crew of two, and a clock that the test moves. */
function setUp() {
  const forked: FakeWorker[] = []
  const lines: string[] = []
  const timers: { at: number; run: () => void }[] = []
  let now = 0
  const crew = new Crew<FakeWorker>({
    workers: 2,
    readyMs: 60_000,
    note: (line) => lines.push(line),
    fork() {
      const worker = new FakeWorker(forked.length + 1)
      forked.push(worker)
      return worker
    },
    clock: {
      monotonic: () => now,
      setTimeout(run, ms) {
        const timer = { at: now + ms, run }
        timers.push(timer)
        return { cancel: () => void timers.splice(timers.indexOf(timer) >>> 0, 1) }
      },
    },
  })
  const advance = async (ms: number) => {
    now += ms
    const due = timers.filter(({ at }) => at <= now)
    for (const timer of due) timers.splice(timers.indexOf(timer), 1)
    for (const { run } of due) run()
    await turns()
  }
  const worker = (index: number) => forked.at(index) as FakeWorker
  const started = async () => {
    const start = crew.start()
    await turns()
    await worker(0).serve()
    await worker(1).serve()
    expect(await start).toBe(true)
  }
  return { crew, forked, lines, advance, worker, started }
}

describe('a crew', () => {
  it('starts one worker first, and the others when it listens', async () => {
    const { crew, forked, worker } = setUp()
    const start = crew.start()
    await turns()
    expect(forked).toHaveLength(1)
    await worker(0).exit(3)
    expect(await start).toBe(false)
    expect(await crew.ended).toBe(3)
    expect(forked).toHaveLength(1)
  })

  it('slows a crash loop down: 0, 0.5, 1, 2, … 30 s', async () => {
    const { forked, lines, advance, worker, started } = setUp()
    await started()
    const waits: number[] = []
    for (let crash = 0; crash < 10; crash++) {
      await worker(-1).exit(1)
      const wait = / in ([\d.]+) s\.$/.exec(lines.at(-1) as string)?.[1] ?? '0'
      waits.push(Number(wait))
      const before = forked.length
      if (waits.at(-1) !== 0) await advance(Number(wait) * 1000 - 1)
      expect(forked).toHaveLength(before)
      await advance(1)
      expect(forked).toHaveLength(before + 1)
      await worker(-1).serve()
    }
    expect(waits).toEqual([0, 0.5, 1, 2, 4, 8, 16, 30, 30, 30])
  })

  it('forgets crashes when a worker has run for a minute', async () => {
    const { lines, advance, worker, started } = setUp()
    await started()
    for (let crash = 0; crash < 4; crash++) {
      await worker(-1).exit(1)
      await advance(30_000)
      await worker(-1).serve()
    }
    await advance(60_000)
    await worker(-1).exit(1)
    expect(lines.at(-1)).toContain('Another one starts now.')
  })

  it('replaces a worker only when the new one is ready', async () => {
    const { crew, forked, lines, worker, started } = setUp()
    await started()
    const [first, second] = forked as [FakeWorker, FakeWorker]
    const restart = crew.restart()
    await turns()
    expect([forked.length, first.isRetired]).toEqual([3, false])
    await worker(2).serve()
    expect([first.isRetired, second.isRetired, forked.length]).toEqual([true, false, 3])
    await first.exit()
    await worker(3).serve()
    expect(second.isRetired).toBe(true)
    await second.exit()
    await restart
    expect(lines.at(-1)).toMatch(/^blazon start: all 2 workers were replaced in \d+ ms\.$/)
    expect(crew.serving.map(({ pid }) => pid)).toEqual([3, 4])
  })

  it('does not wait for ever for the end of a replaced worker', async () => {
    const { crew, forked, advance, worker, started } = setUp()
    await started()
    void crew.restart()
    await turns()
    await worker(2).serve()
    expect(forked).toHaveLength(3)
    await advance(30_000)
    expect(forked).toHaveLength(4)
  })

  it('ends a new worker that is not ready in time, and keeps the old ones', async () => {
    const { crew, forked, advance, worker, started } = setUp()
    await started()
    const restart = crew.restart()
    await turns()
    await advance(60_000)
    await restart
    // It may have connections.
    expect([worker(2).isRetired, worker(2).isKilled]).toEqual([true, false])
    await advance(30_000)
    expect(worker(2).isKilled).toBe(true)
    expect([forked.length, forked[0]?.isRetired]).toEqual([3, false])
    expect(crew.serving.map(({ pid }) => pid)).toEqual([1, 2])
  })

  it('repairs a place whose old worker has ended while the new one failed', async () => {
    const { crew, forked, worker, started } = setUp()
    await started()
    void crew.restart()
    await turns()
    await forked[0]?.exit(1)
    expect(forked).toHaveLength(3)
    await worker(2).exit(1)
    expect(forked).toHaveLength(4)
    await worker(3).serve()
    expect(crew.serving.map(({ pid }) => pid)).toEqual([4, 2])
  })

  it('replaces a worker that ends while others still start', async () => {
    const { crew, forked, lines, worker } = setUp()
    void crew.start()
    await turns()
    await worker(0).serve()
    await worker(0).exit(137)
    expect(lines).toEqual([
      'blazon start: worker 1 (process 1) ended with status 137. Another one starts now.',
    ])
    expect(forked).toHaveLength(2)
  })

  it('does not count the end of such a worker as its own', async () => {
    const { crew, forked, advance, worker } = setUp()
    const start = crew.start()
    await turns()
    await worker(0).serve()
    await worker(0).exit(137)
    await advance(0)
    expect(forked).toHaveLength(3)
    await worker(1).serve()
    await worker(2).serve()
    expect(await start).toBe(true)
    expect(crew.serving.map(({ pid }) => pid)).toEqual([3, 2])
    crew.end('SIGTERM')
    for (const each of forked) await each.exit(0)
    expect(await crew.ended).toBe(0)
  })

  it('restarts after its start if it was asked during it', async () => {
    const { crew, forked, worker } = setUp()
    const start = crew.start()
    await crew.restart()
    await turns()
    await worker(0).serve()
    await worker(1).serve()
    await start
    await turns()
    expect(forked).toHaveLength(3)
    await worker(2).serve()
    expect(forked[0]?.isRetired).toBe(true)
  })

  it('says once that a worker does not listen, and goes on waiting', async () => {
    const { crew, lines, advance, worker } = setUp()
    const start = crew.start()
    await turns()
    await advance(60_000)
    await advance(60_000)
    expect(lines).toEqual([
      'blazon start: worker 1 (process 1) does not listen after 60 s. The command goes on waiting.',
    ])
    await worker(0).serve()
    await worker(1).serve()
    expect(await start).toBe(true)
    expect(lines).toHaveLength(1)
  })

  it('says how a new worker has ended', async () => {
    const { crew, lines, worker, started } = setUp()
    await started()
    const restart = crew.restart()
    await turns()
    await worker(2).exit(9)
    await restart
    expect(lines.at(-1)).toContain('the new worker 1 (process 3) ended with status 9. The restart')
  })

  it('takes no status from a worker that a signal ends before it has replaced another one', async () => {
    const { crew, forked, worker, started } = setUp()
    await started()
    void crew.restart()
    await turns()
    crew.end('SIGTERM')
    await worker(2).exit(143)
    expect(worker(2).signal).toBe('SIGTERM')
    await forked[0]?.exit(0)
    await forked[1]?.exit(0)
    expect(await crew.ended).toBe(0)
  })

  it('ends all but those that end already, with the first status that is not 0', async () => {
    const { crew, forked, worker, started } = setUp()
    await started()
    void crew.restart()
    await turns()
    await worker(2).serve()
    crew.end('SIGTERM')
    expect(forked.map(({ signal }) => signal)).toEqual([undefined, 'SIGTERM', 'SIGTERM'])
    await forked[0]?.exit(0)
    await forked[1]?.exit(1)
    await forked[2]?.exit(0)
    expect(await crew.ended).toBe(1)
    expect(forked).toHaveLength(3)
  })
})
