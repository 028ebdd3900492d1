import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ConfigError } from 'blazon'
import { describe, expect, it, onTestFinished } from 'vitest'
import { PgliteDriver } from '../../../src/integrations/postgres/drivers/pglite-driver.js'
import { findKeeper } from '../../../src/integrations/postgres/keeper/find-keeper.js'
import { KeptEngine } from '../../../src/integrations/postgres/keeper/kept-engine.js'
import {
  type Call,
  frame,
  type Reply,
  toPlain,
  unframe,
} from '../../../src/integrations/postgres/keeper/protocol.js'

describe('the messages between a process and the process of its database', () => {
  const calls: Call[] = [
    { method: 'take', args: [] },
    { method: 'query', args: ['select $1', ['é', null, Buffer.from([0, 255])]] },
    { method: 'giveBack', args: [] },
  ]

  it.each([1, 3, 4, 5, 1000])('are received whole from chunks of %i bytes', (size) => {
    const bytes = Buffer.concat(calls.map(frame))
    const received: Call[] = []
    const receive = unframe<Call>((call) => received.push(call))
    for (let at = 0; at < bytes.length; at += size) receive(bytes.subarray(at, at + size))
    expect(received.map(({ method }) => method)).toEqual(['take', 'query', 'giveBack'])
    const [text, values] = (received[1] as Call).args as [string, unknown[]]
    expect([text, values[0], values[1], [...(values[2] as Buffer)]]).toEqual([
      'select $1',
      'é',
      null,
      [0, 255],
    ])
  })

  it('contain the fields of an error that can be sent', () => {
    const error = Object.assign(new Error('refused'), {
      code: '23505',
      detail: 'Key exists.',
      params: ['secret'],
    })
    expect(toPlain(error)).toEqual({ message: 'refused', code: '23505', detail: 'Key exists.' })
    expect(toPlain('text')).toEqual({ message: 'text' })
  })
})

/** A process of a database that answers calls as the test wants. */
async function keeper() {
  const folder = mkdtempSync(join(tmpdir(), 'blazon-keeper-'))
  const path = join(folder, 'database')
  const server = createServer()
  server.listen(path)
  await once(server, 'listening')
  onTestFinished(() => {
    server.close()
    rmSync(folder, { recursive: true, force: true })
  })
  const connected = once(server, 'connection') as Promise<[Socket]>
  const engine = await KeptEngine.connect(path)
  const [socket] = await connected
  const calls: Call[] = []
  let onCall = () => {}
  socket.on(
    'data',
    unframe<Call>((call) => {
      calls.push(call)
      onCall()
    }),
  )
  const received = (count: number) =>
    new Promise<Call[]>((resolve) => {
      onCall = () => calls.length >= count && resolve(calls)
      onCall()
    })
  const reply = (more: Partial<Reply>) =>
    socket.write(frame({ isInTransaction: false, crash: undefined, ...more }))
  const socketOf = async () => ((await once(server, 'connection')) as [Socket])[0]
  return { engine, socket, received, reply, path, socketOf }
}

describe('a database in another process', () => {
  it('answers calls in their order, and reports whether a transaction is open', async () => {
    const { engine, received, reply } = await keeper()
    const taken = engine.take()
    const results = [engine.query('select $1', ['a']), engine.query('select 2')]
    results[1]?.catch(() => undefined)
    const script = engine.script('begin')
    const reset = engine.reset()
    expect(await received(5)).toEqual([
      { method: 'take', args: [] },
      { method: 'query', args: ['select $1', ['a']] },
      { method: 'query', args: ['select 2', []] },
      { method: 'script', args: ['begin'] },
      { method: 'reset', args: [] },
    ])
    reply({})
    reply({ result: { rows: [['a']], fields: [] } })
    reply({ error: { message: 'refused', code: '42601' } as never })
    await taken
    expect(await results[0]).toEqual({ rows: [['a']], fields: [] })
    await expect(results[1]).rejects.toMatchObject({ message: 'refused', code: '42601' })
    expect(engine.isInTransaction).toBe(false)
    reply({ isInTransaction: true })
    await script
    expect(engine.isInTransaction).toBe(true)
    reply({})
    await reset
    expect(engine.isInTransaction).toBe(false)
    engine.giveBack()
    expect((await received(6)).at(-1)).toEqual({ method: 'giveBack', args: [] })
    await engine.close()
  })

  it('refuses calls after a crash', async () => {
    const { engine, received, reply } = await keeper()
    const failing = engine.query('select 1')
    await received(1)
    reply({ crash: 'out of memory', error: { message: 'out of memory' } })
    await expect(failing).rejects.toThrow('out of memory')
    expect(engine.crash?.message).toBe('out of memory')
    await expect(engine.query('select 2')).rejects.toBe(engine.crash)
    await engine.close()
  })

  it('rejects the waiting calls if its process ends, and accepts to be closed', async () => {
    const { engine, socket, received } = await keeper()
    const waiting = [engine.take(), engine.query('select 1')]
    for (const each of waiting) each.catch(() => undefined)
    await received(2)
    socket.destroy()
    for (const each of waiting)
      await expect(each).rejects.toThrow('The process of the embedded database has ended.')
    await engine.close()
    expect(engine.crash?.message).toBe('The process of the embedded database has ended.')
  })

  it('refuses calls after it was closed', async () => {
    const { engine } = await keeper()
    await engine.close()
    await expect(engine.take()).rejects.toThrow('The database is closed.')
    engine.giveBack()
    await engine.close()
  })
})

describe('a process of blazon dev', () => {
  const KEEP = Symbol.for('blazon.keep')
  const define = (keep: unknown) => {
    Object.assign(globalThis, { [KEEP]: keep })
    onTestFinished(() => void Reflect.deleteProperty(globalThis, KEEP))
  }

  it('uses the database of another process, and reports why it cannot be used', async () => {
    expect(findKeeper()).toBeUndefined()
    const { path } = await keeper()
    const asked: string[][] = []
    const openings: object[] = [
      { path, marker: 'x' },
      {
        message: 'no',
        problems: [{ code: 'E_OPTION_INVALID', subject: 'a', cause: 'b', remedy: 'c' }],
      },
      { message: 'It crashed.' },
    ]
    define(async (...given: string[]) => {
      asked.push(given)
      return openings.shift()
    })
    const open = findKeeper()
    const engine = await open?.('data')
    await engine?.close()
    expect(asked[0]?.[0]).toMatch(/^file:.*keeper\/main\.js$/)
    expect(asked[0]?.[1]).toBe(join(process.cwd(), 'data'))
    await expect(open?.('data')).rejects.toThrow(ConfigError)
    await expect(open?.('data')).rejects.toThrow(/^It crashed\.$/)
  })

  it('reports a crash of that database to each caller', async () => {
    const { engine, path, socketOf } = await keeper()
    await engine.close()
    define(async () => ({ path, marker: 'x' }))
    const driver = new PgliteDriver('data', {})
    const connected = socketOf()
    await driver.open({ logger: { info() {}, warn() {}, error() {} } })
    const socket = await connected
    socket.once('data', () => {
      const error = { message: 'out of memory' }
      socket.write(frame({ isInTransaction: false, crash: 'out of memory', error }))
    })
    for (let count = 0; count < 2; count++)
      await expect(driver.connect()).rejects.toMatchObject({
        ...{ code: 'DATABASE_UNAVAILABLE', cause: { message: 'out of memory' } },
      })
    expect(driver.usage()).toEqual({ lent: 0, waiting: 0 })
    await driver.close()
  })
})
