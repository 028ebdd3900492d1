import { EventEmitter } from 'node:events'
import type { RedisClient } from 'blazon/redis'
import { vi } from 'vitest'
import { turns } from '../../journeys/turns.js'
import { testContext } from './support.js'

/** Returns the reply to a command. An `Error` is an error reply, and a promise is a late reply. */
export type Reply = (words: readonly string[]) => unknown

/** A client of node-redis without a server. The test decides its replies and its connection. */
export class FakeClient extends EventEmitter {
  isOpen = false
  isReady = false
  /** The commands so far, each as one string. */
  readonly sent: string[] = []
  /** What happened to the connection. */
  readonly connections: string[] = []
  reply: Reply = () => null
  /** Called for each attempt to connect. */
  onConnect: () => unknown = () => this.beReady()

  /** A client that the application has already connected. */
  static connected(reply?: Reply): FakeClient {
    const client = new FakeClient()
    Object.assign(client, { isOpen: true, isReady: true, ...(reply && { reply }) })
    return client
  }

  get own(): RedisClient {
    return this as unknown as RedisClient
  }

  withTypeMapping(): this {
    return this
  }

  async connect(): Promise<void> {
    this.connections.push('connect')
    this.isOpen = true
    await this.onConnect()
  }

  destroy(): void {
    this.connections.push('destroy')
    this.isOpen = false
    this.isReady = false
  }

  /** The connection is ready for commands. */
  beReady(): void {
    this.isReady = true
    this.emit('ready')
  }

  /** The connection is lost. */
  lose(error: Error): void {
    this.isReady = false
    this.emit('error', error)
  }

  async sendCommand(words: readonly unknown[]): Promise<unknown> {
    const texts = words.map(String)
    this.sent.push(texts.join(' '))
    const reply = await this.reply(texts)
    if (reply instanceof Error) throw reply
    return reply
  }

  /** The commands since the last call. */
  take(): string[] {
    return this.sent.splice(0)
  }
}

/** A reply that arrives when the test says so. */
export function lateReply() {
  let arrive: (value?: unknown) => void = () => {}
  const reply = new Promise<unknown>((resolve) => {
    arrive = resolve
  })
  return { reply, arrive: (value: unknown = null) => arrive(value) }
}

/** Replaces the timers of the deadlines for the rest of a test, and returns the function that lets them pass. */
export function fakeDeadlines(): (ms: number) => Promise<void> {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  return async (ms) => {
    vi.advanceTimersByTime(ms)
    await turns()
  }
}

/** A context whose clock is stopped. */
export async function stoppedContext() {
  const made = testContext()
  await made.clock.advance(0)
  const get = () => {
    throw new Error('unused')
  }
  return { ...made, context: { ...made.context, get, usesTenants: false } }
}
