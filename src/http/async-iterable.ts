/** Whether a value is an async generator or another async iterable. */
export function isAsyncIterable(value: unknown): value is AsyncIterable<unknown> {
  return (
    typeof value === 'object' &&
    value !== null &&
    typeof (value as Partial<AsyncIterable<unknown>>)[Symbol.asyncIterator] === 'function'
  )
}

/** The value that `change` returns to leave out an item. */
export const LEFT_OUT: unique symbol = Symbol('left out')

/** The callbacks for the items of an iterable. */
export interface ItemChange<T> {
  /** Receives each item. If this callback throws, the iterable ends. */
  change(item: unknown): T | typeof LEFT_OUT
  /** Returns the value after the last item; `undefined` if there is none. */
  last?(): T | undefined
}

/**
 * Changes each item of an iterable. This function is not a generator with `for await`, because such a generator would
 * create three more promises per item. Creating these promises took twice as long as writing a CSV row.
 */
export function changeItems<T>(
  items: AsyncIterable<unknown>,
  { change, last = () => undefined }: ItemChange<T>,
): AsyncIterableIterator<T> {
  const source = items[Symbol.asyncIterator]()
  let isOver = false
  const end = (value?: T): IteratorResult<T> => {
    isOver = true
    return value === undefined ? { done: true, value } : { done: false, value }
  }
  const changed = (result: IteratorResult<unknown>): IteratorResult<T> | typeof LEFT_OUT => {
    if (result.done === true) return isOver ? end() : end(last())
    const value = change(result.value)
    return value === LEFT_OUT ? LEFT_OUT : { done: false, value: value as T }
  }
  const pass = async (): Promise<IteratorResult<T>> => {
    for (;;) {
      const result = changed(await source.next())
      if (result !== LEFT_OUT) return result
    }
  }
  const step = (result: IteratorResult<unknown>) => {
    try {
      const made = changed(result)
      return made === LEFT_OUT ? pass().catch((error) => closeAfter(source, error)) : made
    } catch (error) {
      return closeAfter(source, error)
    }
  }
  return {
    next: () => Promise.resolve(isOver ? end() : source.next()).then(step),
    async return() {
      end()
      await source.return?.()
      return end()
    },
    [Symbol.asyncIterator]() {
      return this
    },
  }
}

/** Closes an iterable after an item was refused, as `for await` does. */
async function closeAfter(source: AsyncIterator<unknown>, error: unknown): Promise<never> {
  await source.return?.()
  throw error
}
