import cluster from 'node:cluster'
import Module from 'node:module'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { runStart, type StartOptions } from '../../../src/cli/start/run-start.js'
import { root } from '../../root.js'
import { runInProcess } from '../run-in-process.js'
import { FakeWorker, microtasks } from './fake-worker.js'

const ENTRY = 'scripts/unit.mjs'
const { argv } = process

beforeEach(() => void vi.stubEnv('BLAZON_JOBS', undefined))
afterEach(() => {
  process.argv = argv
  process.exitCode = undefined
  vi.restoreAllMocks()
  vi.unstubAllEnvs()
  vi.useRealTimers()
})

function start(more: Partial<StartOptions> = {}) {
  const lines: string[] = []
  const note = (line: string) => void lines.push(line)
  const options = {
    cwd: root,
    entry: ENTRY,
    args: ['--own'],
    workers: 1,
    timeout: 60,
    heartbeat: 0,
  }
  const ended = runStart({ ...options, ...more } as StartOptions, { out() {}, err() {}, note })
  return { ended, lines }
}

describe('blazon start with one worker', () => {
  it('runs the module in this process, with its own arguments, and jobs only if asked', async () => {
    const run = vi.fn()
    Object.assign(Module, { runMain: run })
    await start().ended
    expect(process.argv).toEqual([process.execPath, join(root, ENTRY), '--own'])
    expect([run.mock.calls.length, process.env['BLAZON_JOBS']]).toEqual([1, undefined])
    await start({ jobs: true }).ended
    expect(process.env['BLAZON_JOBS']).toBe('work')
  })
  const { runMain } = Module as unknown as { readonly runMain: unknown }
  afterEach(() => void Object.assign(Module, { runMain }))

  it.each([
    ['none.js', /none\.js is not a file\./],
    ['scripts', /scripts is not a file\./],
    ['src/index.ts', /index\.ts is TypeScript, but `blazon start` runs only JavaScript\./],
    ['none.cts', /none\.cts is TypeScript/],
  ])('refuses an entry that is no file of JavaScript: %s', async (entry, message) => {
    const { status, stderr } = await runInProcess(['start', entry], root)
    expect([status, stderr]).toEqual([2, expect.stringMatching(message)])
  })
})

describe('blazon start with several workers', () => {
  /** Starts workers that the test plays, and calls `listening` for each. */
  async function crew(workers: number) {
    const signals = new Map<unknown, (signal: string) => void>()
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const forked: FakeWorker[] = []
    const set = vi.spyOn(cluster, 'setupPrimary').mockImplementation(() => {})
    vi.spyOn(cluster, 'fork').mockImplementation(() => {
      forked.push(new FakeWorker(forked.length + 1))
      return forked.at(-1) as never
    })
    vi.spyOn(process, 'on').mockImplementation((name, listener) => {
      signals.set(name, listener as never)
      return process
    })
    const { ended, lines } = start({ workers })
    while (forked.length === 0) await new Promise(setImmediate)
    for (let index = 0; index < forked.length; index++) await forked[index]?.serve()
    const signal = (name: string) => signals.get(name)?.(name)
    return { forked, ended, lines, signal, set }
  }
  const reply = (worker: FakeWorker, id: number, text: unknown) =>
    worker.process.emit('message', { blazon: { id, reply: text } })

  it('starts them with the arguments of the application, and exits with their status', async () => {
    const { forked, ended, lines, signal, set } = await crew(2)
    expect(set.mock.calls[0]?.[0]).toMatchObject({
      ...{ exec: join(root, ENTRY), args: ['--own'], cwd: root },
      execArgv: expect.arrayContaining(['--enable-source-maps', '--import']),
    })
    expect(lines.at(-1)).toContain('2 workers listen')
    signal('SIGTERM')
    for (const worker of forked) await worker.exit(worker === forked[0] ? 4 : 0)
    await ended
    expect(process.exitCode).toBe(4)
  })

  it('gathers the metrics of all workers by their place, without those that do not reply', async () => {
    const { forked, ended, signal } = await crew(3)
    const replies: { id: number; reply: unknown }[] = []
    const [first, second, third] = forked as [FakeWorker, FakeWorker, FakeWorker]
    const { send } = first.process as unknown as { send: (message: object) => boolean }
    Object.assign(first.process, {
      send: (message: { blazon: { id: number; reply: unknown } }) => {
        if (Object.hasOwn(message.blazon, 'reply')) replies.push(message.blazon)
        return send(message)
      },
    })
    first.process.emit('message', { blazon: { id: 8, name: 'gather', args: [1, true] } })
    await microtasks()
    expect([second, third].map(({ called }) => called)).toEqual(Array(2).fill(['write 1 true']))
    reply(third, 1, 'third\n')
    reply(second, 1, null)
    await vi.advanceTimersByTimeAsync(1999)
    expect(replies).toEqual([])
    await vi.advanceTimersByTimeAsync(1)
    await microtasks()
    const [{ id, reply: texts } = { id: 0, reply: [] }] = replies
    const [only, primary, ...others] = texts as { worker: string | null; text: string }[]
    expect([id, only, others]).toEqual([8, { worker: '3', text: 'third\n' }, []])
    expect(primary?.worker).toBeNull()
    expect(primary?.text).toContain('workers_running 3\n')
    expect(primary?.text).toContain('workers_started_total 3\n')
    expect(primary?.text).toContain('workers_killed_total{reason="heartbeat"} 0\n')
    expect(primary?.text).toContain('workers_killed_total{reason="close"} 0\n')
    signal('SIGINT')
    for (const worker of forked) await worker.exit(0)
    await ended
  })
})
