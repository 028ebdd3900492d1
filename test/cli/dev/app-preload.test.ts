import { EventEmitter } from 'node:events'
import module from 'node:module'
import { Server } from 'node:net'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { turns } from '../../journeys/turns.js'
import { loadPreload, type Preload } from '../load-preload.js'

let preload: Preload
let gated: Server['listen']
let resolve: (specifier: string, context: object, next: (name: string) => object) => unknown
/** The calls of Node's own `listen`. */
const listened: unknown[][] = []
/** Whether the channel to the command keeps the process alive. */
let isHeld = true
const { listen } = Server.prototype

beforeAll(async () => {
  const hold = (held: boolean) => () => {
    isHeld = held
  }
  const channel = process.channel as NonNullable<typeof process.channel>
  vi.spyOn(channel, 'ref').mockImplementation(hold(true))
  vi.spyOn(channel, 'unref').mockImplementation(hold(false))
  Server.prototype.listen = function note(this: Server, ...args: unknown[]) {
    listened.push(args)
    return this
  } as never
  const hooks = vi.fn()
  Object.assign(module, { registerHooks: hooks })
  const variables = { BLAZON_DEV_PARENT: String(process.ppid), BLAZON_DEV_REPORT: '1' }
  preload = await loadPreload(variables, () => import('../../../src/cli/dev/child/preload.js'))
  gated = Server.prototype.listen
  resolve = hooks.mock.calls[0]?.[0].resolve
})
const { registerHooks } = module as unknown as { registerHooks?: unknown }

afterAll(() => {
  Server.prototype.listen = listen
  if (registerHooks === undefined) Reflect.deleteProperty(module, 'registerHooks')
  else Object.assign(module, { registerHooks })
})

const server = (port: number | string) =>
  Object.assign(new EventEmitter(), {
    address: () => (typeof port === 'string' ? port : { port }),
  })
const listenAs = (of: object, ...args: unknown[]) => Reflect.apply(gated, of, args)
const keep = (...args: unknown[]) =>
  Reflect.apply(preload.defined['blazon.keep'] as never, undefined, args)

describe('the process of an application of blazon dev', () => {
  it('hides its variables from its own programs, and does not stay alive for the command', () => {
    const names = ['BLAZON_DEV_PARENT', 'BLAZON_DEV_REPORT']
    expect(names.map((name) => process.env[name])).toEqual([undefined, undefined])
    expect(isHeld).toBe(false)
  })

  it('reports the modules that it loads, and its own modules that are missing', () => {
    preload.sent.length = 0
    const context = { parentURL: 'file:///app/main.js' }
    expect(resolve('x', context, () => ({ url: 'file:///app/x.js' }))).toEqual({
      url: 'file:///app/x.js',
    })
    const fail = () => {
      throw new Error('not found')
    }
    for (const name of ['./lib.js', '../lib.js', '/lib.js', 'package', '#own']) {
      expect(() => resolve(name, context, fail)).toThrow('not found')
    }
    preload.emit('uncaughtExceptionMonitor', { url: 'file:///app/late.js' })
    for (const error of [null, new Error('no URL')]) preload.emit('uncaughtExceptionMonitor', error)
    const reported = preload.sent.map((each) => (each as { urls: string[] }).urls)
    const names = ['app/x.js', 'app/lib.js', 'lib.js', 'lib.js', 'app/late.js']
    expect(reported).toEqual(names.map((name) => [`file:///${name}`]))
  })

  it('keeps a process for each request, and stays alive until the last answer', async () => {
    preload.sent.length = 0
    const results = [keep('file:///a.js', 'one'), keep('file:///a.js', 'two')]
    const ids = preload.sent.map((each) => (each as { id: number }).id)
    expect(new Set(ids).size).toBe(2)
    preload.say({ kind: 'kept', id: ids[1], result: 'second' })
    expect([await results[1], isHeld]).toEqual(['second', true])
    preload.emit('message', { other: true })
    preload.say({ kind: 'kept', id: 99, result: 'unknown' })
    preload.say({ kind: 'kept', id: ids[0], result: 'first' })
    expect([await results[0], isHeld]).toEqual(['first', false])
  })

  it('replies to queries about its work, also if they fail', async () => {
    preload.sent.length = 0
    preload.say({ kind: 'query', id: 5, query: { do: 'list' } })
    preload.say({ kind: 'query', id: 6, query: { do: 'act', part: 0, action: 'a', item: 'b' } })
    await turns(5)
    expect(preload.sent).toHaveLength(2)
    const message = 'The application has no such list.'
    expect(preload.sent).toContainEqual({ kind: 'reply', id: 5, reply: { value: [] } })
    expect(preload.sent).toContainEqual({ kind: 'reply', id: 6, reply: { message } })
  })

  it('lets its servers listen when the process before it has ended, on the ports of that process', async () => {
    preload.sent.length = 0
    const ready = () => {}
    const first = server(3000)
    listenAs(first, 8080, '127.0.0.1')
    listenAs(server(0))
    listenAs(server(0), ready)
    listenAs(server(0), { port: 0, host: '::1' }, ready)
    listenAs(server(0), 0)
    listenAs(server(0), '4000', ready)
    listenAs(server('/socket'), '/socket')
    listenAs(server('/socket'), { path: '/socket' })
    listenAs(server(0), { port: 65_536 })
    await turns(5)
    expect([listened, isHeld]).toEqual([[], true])
    expect(preload.sent).toEqual(Array(9).fill({ kind: 'listen' }))
    preload.say({ kind: 'go', first: 3000, last: { 1: 1111, 2: 2222, 3: 3333, 4: 4444, 6: 6666 } })
    await turns(5)
    expect(listened).toEqual([
      [3000, '127.0.0.1'],
      [2222],
      [3333, ready],
      [{ port: 4444, host: '::1' }, ready],
      [0],
      [4000, ready],
      ['/socket'],
      [{ path: '/socket' }],
      [{ port: 65_536 }],
    ])
    expect(isHeld).toBe(false)
    first.emit('listening')
    expect(preload.sent.at(-1)).toEqual({ kind: 'listening', id: 1, port: 3000 })
    const late = server('/late')
    listenAs(late, '/late')
    late.emit('listening')
    expect(preload.sent.slice(-2)).toEqual([
      { kind: 'listen' },
      { kind: 'listening', id: 10, port: 0 },
    ])
  })
})
