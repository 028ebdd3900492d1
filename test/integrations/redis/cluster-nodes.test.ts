import { EventEmitter } from 'node:events'
import { type RedisCluster, redisCache } from 'blazon/redis'
import { expect, it } from 'vitest'
import { until } from '../until.js'
import { testContext } from './support.js'

/** A cluster of one node whose replies the test holds back. */
class HeldCluster extends EventEmitter {
  readonly isOpen = true
  readonly isReady = true
  readonly slots = [{}]
  readonly masters = [{}]
  isHeld = false
  sent = 0

  withTypeMapping() {
    return this
  }

  async nodeClient() {
    const node = {
      sendCommand: (words: readonly string[]) => this.#reply(words),
      withTypeMapping: () => node,
    }
    return node
  }

  sendCommand(_key: unknown, _isReadonly: unknown, words: readonly string[]) {
    this.sent++
    return this.#reply(words)
  }

  async connect() {}
  destroy() {}

  #reply([command]: readonly string[]): Promise<unknown> {
    if (this.isHeld) return new Promise(() => {})
    return Promise.resolve(command === 'SCAN' ? ['0', []] : null)
  }
}

it('a cluster is used again as soon as one of its nodes is ready again', async () => {
  const cluster = new HeldCluster()
  const cache = redisCache({ client: cluster as unknown as RedisCluster, timeout: '5ms' })
  const { context } = testContext()
  await cache.open?.(context)
  const asks = async () => {
    const before = cluster.sent
    await cache.get('key')
    return cluster.sent > before
  }
  await until(asks)
  cluster.isHeld = true
  await cache.get('key')
  expect(await asks()).toBe(false)
  cluster.isHeld = false
  cluster.emit('node-ready')
  await until(asks)
  await cache.close?.()
})
