import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import type { WorkerLink } from '../../../src/app/worker-link.js'
import { gate } from '../../journeys/gate.js'
import { turns } from '../../journeys/turns.js'
import { loadPreload, type Preload } from '../load-preload.js'

let preload: Preload
let link: WorkerLink
/** What the worker has reported after the start of its only application failed. */
let afterFailure: readonly unknown[]

beforeAll(async () => {
  const place = JSON.stringify({ workers: 3, isSpeaker: false, beatMs: 0 })
  preload = await loadPreload(
    { BLAZON_WORKER: place },
    () => import('../../../src/cli/start/preload.js'),
  )
  link = preload.defined['blazon.worker'] as WorkerLink
  // Only before another application has started.
  await link.starts(() => Promise.reject(new Error('no')), app(1)).catch(() => {})
  await turns()
  afterFailure = notes()
})

beforeEach(() => {
  preload.sent.length = 0
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
})
afterEach(() => {
  vi.useRealTimers()
  process.exitCode = undefined
})

/** What the worker has reported about itself. */
const notes = () =>
  preload.sent.flatMap((each) => {
    const { name, args } = each as { name?: string; args?: unknown[] }
    return name === 'note' ? args : []
  })

const app = (closeMs: number, isReady = async () => true) => ({ closeMs: () => closeMs, isReady })

describe('a worker of blazon start', () => {
  it('takes its place from the environment, which its own programs do not get', () => {
    expect([link.workers, link.isSpeaker, link.isRetired]).toEqual([3, false, false])
    expect(process.env['BLAZON_WORKER']).toBeUndefined()
  })

  it('passes on the error of a start, and does not listen without another application', async () => {
    expect(afterFailure).toEqual([{ hasApps: true }])
    const failed = link.starts(() => Promise.reject(new Error('no')), app(1))
    await expect(failed).rejects.toThrow('no')
  })

  it('listens when no application is starting any more, and takes the longest time to close', async () => {
    const [first, second] = [gate(), gate()]
    const starts = [
      link.starts(() => first.opened, app(500)),
      link.starts(() => second.opened, app(300)),
    ]
    first.open()
    await turns()
    expect(notes()).toEqual([{ hasApps: true }, { hasApps: true }])
    // A program that starts one application after the other.
    starts.push(starts[1]?.then(() => link.starts(async () => {}, app(200))) as Promise<void>)
    second.open()
    await Promise.all(starts)
    await turns()
    expect(notes().slice(2)).toEqual([
      { hasApps: true },
      { listens: true, closeMs: 500 },
      { isReady: true },
    ])
  })

  it('is ready when all applications are, which it checks every 200 ms', async () => {
    let answers: (() => Promise<boolean>)[] = []
    const isReady = () => (answers.shift() ?? (async () => true))()
    answers = [async () => false, () => Promise.reject(new Error('no connection'))]
    await link.starts(async () => {}, app(1, isReady))
    await turns()
    expect(notes().at(-1)).toMatchObject({ listens: true })
    await vi.advanceTimersByTimeAsync(199)
    expect(answers).toHaveLength(1)
    await vi.advanceTimersByTimeAsync(1)
    await turns()
    expect([answers.length, notes().at(-1)]).toEqual([0, notes()[1]])
    await vi.advanceTimersByTimeAsync(200)
    await turns()
    expect(notes().at(-1)).toEqual({ isReady: true })
    expect(vi.getTimerCount()).toBe(0)
  })

  it('is not ready while another start is in progress, whatever the check says', async () => {
    const [checked, started] = [gate(), gate()]
    await link.starts(
      async () => {},
      app(1, () => checked.opened.then(() => true)),
    )
    await turns()
    const second = link.starts(() => started.opened, app(1))
    checked.open()
    await turns()
    expect(notes()).not.toContainEqual({ isReady: true })
    started.open()
    await second
    await turns()
    expect(notes().filter((each) => Object.hasOwn(Object(each), 'isReady'))).toHaveLength(1)
  })

  it('reports no application after an error that was not caught', async () => {
    process.exitCode = 1
    await link.starts(async () => {}, app(1))
    await turns()
    expect(notes()).toEqual([{ hasApps: true }])
  })

  it('gives each application its own number among the metrics, and answers by this number', async () => {
    const texts = ['first', 'second']
    const shares = texts.map((text) =>
      link.shareMetrics((isOpen) => Promise.resolve(`${text} ${isOpen}`)),
    )
    const gathered = shares[1]?.(true)
    const { id } = preload.sent.at(-1) as { id: number }
    expect(preload.sent.at(-1)).toEqual({ id, name: 'gather', args: [1, true] })
    preload.say({ id, reply: ['all'] })
    expect(await gathered).toEqual(['all'])
    for (const app of [1, 0, 7]) preload.say({ id: 90 + app, name: 'write', args: [app, false] })
    await turns(5)
    for (const [id, reply] of [
      [90, 'first false'],
      [91, 'second false'],
      [97, undefined],
    ]) {
      expect(preload.sent).toContainEqual({ id, reply })
    }
  })

  it('passes a signal of the command to its listeners, or else to itself', async () => {
    const kill = vi.spyOn(process, 'kill').mockImplementation(() => true)
    const emit = vi.spyOn(process, 'emit').mockImplementation((() => hasListener) as never)
    let hasListener = true
    preload.say({ id: 1, name: 'end', args: ['SIGTERM', true] })
    expect([link.isRetired, kill.mock.calls]).toEqual([true, []])
    hasListener = false
    preload.say({ id: 2, name: 'end', args: ['SIGTERM', false] })
    expect([link.isRetired, kill.mock.calls]).toEqual([false, [[process.pid, 'SIGTERM']]])
    expect(emit.mock.calls[0]).toEqual(['SIGTERM', 'SIGTERM'])
    emit.mockRestore()
    kill.mockRestore()
  })
})
