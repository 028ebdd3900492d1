import cluster from 'node:cluster'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { WorkerPool } from '../../../src/cli/start/worker-pool.js'
import { FakeWorker, microtasks } from './fake-worker.js'

const CLOCK = ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'performance'] as const

/** A pool of two, whose clock the test moves. */
function setUp(options: { readonly heartbeat?: number } = {}) {
  vi.useFakeTimers({ toFake: [...CLOCK] })
  const forked: FakeWorker[] = []
  const lines: string[] = []
  vi.spyOn(cluster, 'fork').mockImplementation(() => {
    const worker = new FakeWorker(forked.length + 1)
    forked.push(worker)
    return worker as never
  })
  const note = (line: string) => void lines.push(line)
  const pool = new WorkerPool({
    workers: 2,
    timeout: 60,
    heartbeat: 30,
    note,
    functions: {},
    ...options,
  })
  const worker = (index: number) => forked.at(index) as FakeWorker
  const status = pool.run()
  const started = async () => {
    await microtasks()
    await worker(0).serve()
    await worker(1).serve()
  }
  const advance = async (ms: number) => {
    await vi.advanceTimersByTimeAsync(ms)
    await microtasks()
  }
  const serving = () => pool.serving.map((member) => member.worker.process.pid)
  const restart = async () => {
    pool.restart()
    await microtasks()
  }
  return { pool, forked, lines, worker, status, started, advance, serving, restart }
}

const RETIRE = 'end SIGTERM true'

describe('a pool of workers', () => {
  afterEach(() => {
    vi.useRealTimers()
    vi.restoreAllMocks()
  })

  it('starts one worker first, and ends with the status of this worker if it never listens', async () => {
    const { forked, worker, status } = setUp()
    await microtasks()
    expect(forked).toHaveLength(1)
    await worker(0).exit(3)
    expect(await status).toBe(3)
    expect(forked).toHaveLength(1)
  })

  it('delays restarts of workers that were never ready: 0.5, 1, 2, … 30 s', async () => {
    const { forked, lines, worker, started, advance } = setUp({ heartbeat: 0 })
    await started()
    await worker(1).exit(1)
    await advance(0)
    const waits: number[] = []
    for (let crash = 0; crash < 8; crash++) {
      // It listens, but its checks of health are not good.
      await worker(-1).note({ listens: true })
      await worker(-1).exit(1)
      const wait = Number(/ in ([\d.]+) s\.$/.exec(lines.at(-1) as string)?.[1])
      waits.push(wait)
      const before = forked.length
      await advance(wait * 1000 - 1)
      expect(forked).toHaveLength(before)
      await advance(1)
      expect(forked).toHaveLength(before + 1)
    }
    expect(waits).toEqual([0.5, 1, 2, 4, 8, 16, 30, 30])
  })

  it('immediately replaces a worker that was ready, no matter how often', async () => {
    const { forked, lines, worker, started, advance } = setUp()
    await started()
    for (let crash = 0; crash < 20; crash++) {
      await worker(-1).exit(null, 'SIGSEGV')
      await advance(0)
      expect(forked).toHaveLength(crash + 3)
      await worker(-1).serve()
    }
    expect(lines.at(-1)).toBe(
      'blazon start: worker 2 (process 21) ended by SIGSEGV. Another one starts now.',
    )
  })

  it('replaces workers one by one, each only when the new worker is ready', async () => {
    const { forked, lines, worker, started, serving, restart } = setUp()
    await started()
    await restart()
    await worker(2).note({ listens: true })
    expect([forked.length, worker(0).called]).toEqual([3, []])
    await worker(2).serve()
    expect([forked.length, worker(0).called, worker(1).called]).toEqual([3, [RETIRE], []])
    await worker(0).exit(0)
    await worker(3).serve()
    await worker(1).exit(0)
    expect(lines.at(-1)).toMatch(/^blazon start: all 2 workers were replaced in \d+ ms\.$/)
    expect(serving()).toEqual([3, 4])
  })

  it('kills a replaced worker that exceeds its shutdown time, and continues', async () => {
    const { pool, forked, lines, worker, advance, restart } = setUp({ heartbeat: 0 })
    await microtasks()
    await worker(0).serve({ closeMs: 15_000 })
    await worker(1).serve({ closeMs: 15_000 })
    await restart()
    await worker(2).serve()
    await advance(19_999)
    expect([forked.length, lines.at(-1)]).toEqual([3, expect.stringContaining('2 workers listen')])
    await advance(1)
    expect(lines.at(-1)).toBe(
      'blazon start: worker 1 (process 1) has not ended within 20 s, and is killed.',
    )
    expect([forked.length, pool.counts.close]).toEqual([4, 1])
  })

  it('kills workers that do not end after a signal', async () => {
    const { pool, status, advance, started } = setUp({ heartbeat: 0 })
    await started()
    pool.end('SIGTERM')
    await advance(35_000)
    expect(await status).toBe(137)
    expect(pool.counts.close).toBe(2)
  })

  it('kills and replaces a worker that has not responded within the heartbeat time', async () => {
    const { pool, forked, lines, worker, advance, started } = setUp()
    await started()
    for (let beat = 0; beat < 8; beat++) {
      await advance(7500)
      await worker(0).note({ missed: 0 })
      if (beat < 4) await worker(1).note({ missed: 0 })
    }
    expect(forked).toHaveLength(2)
    await advance(7500)
    expect(lines.slice(-2)).toEqual([
      'blazon start: worker 2 (process 2) has not responded for 30 s, and is killed.',
      'blazon start: worker 2 (process 2) ended by SIGKILL. Another one starts now.',
    ])
    await advance(1)
    expect([forked.length, pool.counts.heartbeat]).toEqual([3, 1])
  })

  it('does not kill a starting worker, or any worker if there is no heartbeat', async () => {
    const { worker, advance, forked, lines } = setUp()
    await advance(300_000)
    await worker(0).serve()
    expect([forked.length, lines]).toEqual([2, []])
    vi.restoreAllMocks()
    const other = setUp({ heartbeat: 0 })
    await other.started()
    await other.advance(300_000)
    expect(other.lines).toHaveLength(1)
  })

  it('ends a new worker that is not ready in time, and keeps the old workers', async () => {
    const { forked, lines, worker, started, serving, advance, restart } = setUp({ heartbeat: 0 })
    await started()
    await restart()
    await advance(60_000)
    expect(lines.at(-1)).toBe(
      'blazon start: worker 1 (process 3) was not ready within 60 s, and is stopped. The restart is aborted, and the running workers continue.',
    )
    expect(worker(2).called).toEqual(['end SIGTERM false'])
    expect([forked.length, worker(0).called]).toEqual([3, []])
    expect(serving()).toEqual([1, 2])
  })

  it('prints the exit status of a new worker that fails during a restart', async () => {
    const { lines, worker, started, restart } = setUp()
    await started()
    await restart()
    await worker(2).exit(9)
    expect(lines.at(-1)).toContain(
      'worker 1 (process 3) ended with status 9. The restart is aborted',
    )
  })

  it('replaces a worker that ends while others still start, and keeps running', async () => {
    const { pool, forked, lines, worker, status, advance, serving } = setUp()
    await microtasks()
    await worker(0).serve()
    await worker(0).exit(137)
    await advance(0)
    expect(forked).toHaveLength(3)
    await worker(1).serve()
    await worker(2).serve()
    expect(lines.at(-1)).toContain('2 workers listen')
    expect(serving()).toEqual([3, 2])
    pool.end('SIGTERM')
    for (const each of forked.slice(1)) await each.exit(0)
    expect(await status).toBe(0)
  })

  it('restarts its workers after the start, and only once more for several calls during a restart', async () => {
    const { forked, worker, started, restart, serving } = setUp()
    await restart()
    await restart()
    await started()
    expect(forked).toHaveLength(3)
    await restart()
    await restart()
    const retired = new Set<FakeWorker>()
    for (let place = 0; place < 4; place++) {
      await worker(-1).serve()
      const old = forked.find((each) => each.called.includes(RETIRE) && !retired.has(each))
      retired.add(old as FakeWorker)
      await old?.exit(0)
    }
    expect(forked).toHaveLength(6)
    expect(serving()).toEqual([5, 6])
  })

  it('starts no second worker in a place that a restart filled during the pause after a crash', async () => {
    const { forked, worker, started, restart, serving, advance } = setUp()
    await started()
    await worker(1).exit(1)
    await advance(0)
    await worker(2).exit(1)
    expect(forked).toHaveLength(3)
    await restart()
    await worker(3).serve()
    await worker(0).exit(0)
    await worker(4).serve()
    await advance(1000)
    expect(forked).toHaveLength(5)
    expect(serving()).toEqual([4, 5])
  })

  it('starts no worker after a crash if a signal ended the pool during the pause', async () => {
    const { pool, forked, worker, started, status, restart, advance } = setUp()
    await started()
    await worker(1).exit(1)
    await advance(0)
    await worker(2).exit(1)
    pool.end('SIGTERM')
    await worker(0).exit(0)
    expect(await status).toBe(0)
    expect(vi.getTimerCount()).toBe(0)
    await restart()
    expect(forked).toHaveLength(3)
  })

  it('ends all workers that are not ending yet, and exits with the first status of a serving worker', async () => {
    const { pool, forked, worker, started, status, restart } = setUp()
    await started()
    await restart()
    await worker(2).serve()
    pool.end('SIGTERM')
    expect(forked.map(({ called }) => called)).toEqual([
      [RETIRE],
      ['end SIGTERM false'],
      ['end SIGTERM false'],
    ])
    await worker(0).exit(5)
    await worker(1).exit(1)
    await worker(2).exit(0)
    expect(await status).toBe(1)
  })
})
