import { PassThrough } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { visibilityStage, visibleStage } from '../../src/pipeline/visibility/visibility-stages.js'

const NOTHING = { isComplete: false, held: [] }

/** Runs the step that removes hidden fields, for a caller without abilities whose handler returns this value. */
function hide(value: unknown, res: object = {}) {
  const visibility = { forHeld: () => NOTHING, limitsResponses: true }
  const route = { name: 'Staff.list', stream: null }
  const stage = visibleStage({ visibility, route, base: null, onError: () => {} } as never)
  return stage(() => value)({} as never, { headersSent: false, ...res } as never)
}

describe('a value that is sent unchanged, on a route with hidden fields', () => {
  it('is refused, and its stream is destroyed', () => {
    const stream = new PassThrough()
    expect(() => hide(stream)).toThrow('Staff.list returned bytes, a stream, a file or a Response')
    expect(stream.destroyed).toBe(true)
  })

  it('is refused, and its body is cancelled if it is a Response', () => {
    let isCancelled = false
    const cancel = () => {
      isCancelled = true
    }
    expect(() => hide(new Response(new ReadableStream({ cancel })))).toThrow('visibleTo')
    expect(isCancelled).toBe(true)
  })

  it('is refused if a promise resolves with it', async () => {
    await expect(hide(Promise.resolve(Buffer.from('secret')))).rejects.toThrow('visibleTo')
  })

  it('is allowed if it is a Response without a body, or if another response was already sent', () => {
    const redirect = new Response(null, { status: 304 })
    expect(hide(redirect)).toBe(redirect)
    const bytes = Buffer.from('late')
    expect(hide(bytes, { headersSent: true })).toBe(bytes)
  })
})

describe('the abilities for marked fields', () => {
  const marks = [['first'], ['second']]
  type DecideMark = (user: unknown, mark: readonly string[]) => unknown
  const ask = async (decide: DecideMark, req: object = { user: { id: 1 } }) => {
    const asked: unknown[] = []
    const forHeld = (isHeld: readonly boolean[]) => {
      asked.push(isHeld)
      return NOTHING
    }
    const config = { visibility: { marks, forHeld }, decide, isProtected: false }
    const step = visibilityStage(config as never)(() => 'handled')
    const value = await step(req as never, {} as never)
    return { value, held: asked.at(-1) }
  }

  it('are held only if the decision is exactly true, at once or later', async () => {
    const decide = (_: unknown, [name]: readonly string[]) =>
      name === 'first' ? Promise.resolve(true) : 'yes'
    expect(await ask(decide)).toEqual({ value: 'handled', held: [true, false] })
  })

  it.each([{}, { user: undefined }, { user: null }])(
    'are not held without a user, and no decision is made: %j',
    async (req) => {
      let decisions = 0
      expect(await ask(() => ++decisions > 0, req)).toEqual({ value: 'handled', held: [] })
      expect(decisions).toBe(0)
    },
  )

  it('fail with the first error, and leave no other rejection unhandled', async () => {
    const decide = (_: unknown, [name]: readonly string[]) => {
      if (name === 'first') return Promise.reject(new Error('first'))
      throw new Error('second')
    }
    await expect(ask(decide)).rejects.toThrow('first')
  })
})
