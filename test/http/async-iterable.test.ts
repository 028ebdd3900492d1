import { describe, expect, it } from 'vitest'
import { changeItems, LEFT_OUT } from '../../src/http/async-iterable.js'

/** Numbers from 1, and whether their generator has ended. */
function numbers(count = Number.POSITIVE_INFINITY) {
  const state = { asked: 0, isEnded: false }
  async function* count1() {
    try {
      while (state.asked < count) yield ++state.asked
    } finally {
      state.isEnded = true
    }
  }
  return { state, items: count1() }
}

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = []
  for await (const item of items) found.push(item)
  return found
}

describe('an iterable whose items are changed', () => {
  it('leaves out items, and has one value after its last item', async () => {
    const { items } = numbers(5)
    const isOdd = (item: unknown) => Number(item) % 2 === 1
    const changed = changeItems(items, {
      change: (item) => (isOdd(item) ? `${item}` : LEFT_OUT),
      last: () => 'end',
    })
    expect(await all(changed)).toEqual(['1', '3', '5', 'end'])
    expect(await changed.next()).toEqual({ done: true, value: undefined })
  })

  it.each([
    ['the first item', 1],
    ['an item after one that is left out', 2],
    ['an item after several that are left out', 4],
  ])('ends its source before it rejects if %s is refused', async (_, refused) => {
    const { items, state } = numbers()
    const changed = changeItems(items, {
      change(item) {
        if (item === refused) throw new Error('refused')
        return LEFT_OUT
      },
    })
    await expect(changed.next()).rejects.toThrow('refused')
    expect(state).toEqual({ asked: refused, isEnded: true })
  })

  it('asks its source for nothing more after it was ended', async () => {
    const { items, state } = numbers()
    const endless = { [Symbol.asyncIterator]: () => ({ next: () => items.next() }) }
    const changed = changeItems(endless, { change: String, last: () => 'end' })
    expect(await changed.next()).toEqual({ done: false, value: '1' })
    expect(await changed.return?.()).toEqual({ done: true, value: undefined })
    expect(await changed.next()).toEqual({ done: true, value: undefined })
    expect(state.asked).toBe(1)
  })
})
