import { App, Health } from 'blazon'
import { afterEach, expect, it } from 'vitest'
import { gate } from '../journeys/gate.js'

const LINK = Symbol.for('blazon.worker')
afterEach(() => void Reflect.deleteProperty(globalThis, LINK))

it.each([
  [true, 'up'],
  [false, 'closing'],
])(
  'the health of a worker that closes is right if isRetired is %s: %s',
  async (isRetired, status) => {
    Object.defineProperty(globalThis, LINK, { value: { isRetired }, configurable: true })
    const left = gate()
    const plugins = [{ name: 'slow', onClosing: () => left.opened }]
    const app = await App.create({ plugins, logger: false })
    expect((await app.get(Health).check()).status).toBe('up')
    const closing = app.close()
    expect((await app.get(Health).check()).status).toBe(status)
    left.open()
    await closing
  },
)
