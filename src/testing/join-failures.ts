/**
 * Returns the first failure of a request, whose message then has the others, too. An error that is left for the end of the
 * application would hide the first one: `await using` puts both into a `SuppressedError` without a message.
 *
 * @param found The failures in the order in which a reader needs them; `null` and `undefined` are none.
 * @returns `null` if there is none. If the first is not an `Error`, or is frozen, an `Error` that has it as its cause.
 */
export function joinFailures(found: readonly unknown[]): unknown {
  const [first = null, ...others] = found.filter((each) => each !== null && each !== undefined)
  if (others.length === 0) return first
  const isOpen = first instanceof Error && !Object.isFrozen(first)
  const joined = isOpen ? first : new Error(String(first), { cause: first })
  for (const other of others) addToMessage(joined, `Besides: ${String(other)}`)
  return joined
}

/** Adds a paragraph to the message of an error. */
export function addToMessage(error: Error, paragraph: string): void {
  const { message, stack } = error
  const text = `${message}\n\n${paragraph}\n`
  // An error of the test may be frozen.
  Reflect.set(error, 'message', text)
  // The stack has the message as it was. Some runners print the stack, some the message.
  if (stack?.includes(message))
    Reflect.set(
      error,
      'stack',
      stack.replace(message, () => text),
    )
}
