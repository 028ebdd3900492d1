import { EventEmitter, once } from 'node:events'
import { PassThrough, Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { setTimeout as delay } from 'node:timers/promises'
import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads'
import { getTenantId, TenantContext } from 'blazon'
import { afterAll, afterEach, beforeAll } from 'vitest'
import { Pool } from './crowd.js'

export let pool = new Pool()
let worker: Worker

/** Waits for the pool, runs the work, and releases the pool. */
const pooled = <T>(work: () => T | Promise<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    pool.acquire((release) => {
      // This callback runs in the scope of the code that released the pool, not of the code that waits.
      Promise.resolve(work()).then(resolve, reject).finally(release)
    })
  })

export const shortly = () => delay(Math.random() * 3)

/** The ways in which Node continues after waiting. Each returns the tenant after the wait. */
export const WAYS: Record<string, () => Promise<string | undefined>> = {
  setTimeout: () => new Promise((done) => setTimeout(() => done(getTenantId()), Math.random() * 3)),
  setInterval: () =>
    new Promise((done) => {
      const timer = setInterval(() => {
        clearInterval(timer)
        done(getTenantId())
      }, 1)
    }),
  setImmediate: () => new Promise((done) => setImmediate(() => done(getTenantId()))),
  nextTick: () => new Promise((done) => process.nextTick(() => done(getTenantId()))),
  queueMicrotask: () => new Promise((done) => queueMicrotask(() => done(getTenantId()))),
  async await() {
    await shortly()
    await null
    return getTenantId()
  },
  async 'an event'() {
    const emitter = new EventEmitter()
    setTimeout(() => emitter.emit('ready'), 1)
    return await new Promise((done) => emitter.on('ready', () => done(getTenantId())))
  },
  async 'an awaited event'() {
    const emitter = new EventEmitter()
    setTimeout(() => emitter.emit('ready'), 1)
    await once(emitter, 'ready')
    return getTenantId()
  },
  async 'a stream'() {
    const stream = Readable.from(['a', 'b'])
    return await new Promise((done) => stream.on('data', () => done(getTenantId())))
  },
  async 'an iterated stream'() {
    const seen = new Set<string | undefined>()
    for await (const _ of Readable.from(['a', 'b'])) seen.add(getTenantId())
    return seen.size === 1 ? [...seen][0] : undefined
  },
  async 'a pipeline'() {
    const seen: (string | undefined)[] = []
    const through = new PassThrough()
    through.on('data', () => seen.push(getTenantId()))
    await pipeline(Readable.from(['a', 'b']), through)
    return new Set([...seen, getTenantId()]).size === 1 ? seen[0] : undefined
  },
  async 'a thenable'() {
    const query = {
      // Calls back in the scope of the code that released the pool.
      then: (done: (rows: number) => void) =>
        pool.acquire((release) => {
          done(1)
          setImmediate(release)
        }),
    }
    await query
    return getTenantId()
  },
  async 'a promise from a pool'() {
    await pooled(shortly)
    return getTenantId()
  },
  'a bound callback of a pool': () =>
    new Promise((done) => {
      pool.acquire(
        TenantContext.bind((release: () => void) => {
          done(getTenantId())
          setImmediate(release)
        }),
      )
    }),
  async 'a message from a worker'() {
    const { port1, port2 } = new MessageChannel()
    worker.postMessage(port2, [port2])
    const answer = await new Promise((done) => port1.once('message', () => done(getTenantId())))
    port1.close()
    return answer as string | undefined
  },
  async 'an awaited message from a worker'() {
    const { port1, port2 } = new MessageChannel()
    worker.postMessage(port2, [port2])
    await once(port1 as MessagePort & EventEmitter, 'message')
    port1.close()
    return getTenantId()
  },
}

/** Starts the worker of `WAYS` for the file that calls it, and makes a new pool after each test. */
export function useWays(): void {
  beforeAll(() => {
    const code = `require('node:worker_threads').parentPort.on('message', (port) => port.postMessage(1))`
    worker = new Worker(code, { eval: true })
  })
  afterEach(() => {
    pool = new Pool()
  })
  afterAll(() => worker.terminate())
}
