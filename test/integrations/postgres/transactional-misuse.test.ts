import { ConfigError } from 'blazon'
import { Transactional } from 'blazon/postgres'
import { describe, expect, it } from 'vitest'

/** The cause of the ConfigError that a function throws. */
function causeOf(run: () => unknown): string | undefined {
  try {
    run()
  } catch (error) {
    if (error instanceof ConfigError) return error.problems[0]?.cause
    throw error
  }
  return undefined
}

type Decorate = (...args: unknown[]) => unknown
const decorate = (...args: unknown[]) => (Transactional() as unknown as Decorate)(...args)
const context = (more: object) => ({
  ...{ kind: 'method', name: 'add', static: false, private: false, addInitializer() {} },
  ...more,
})
const descriptor = (value: unknown) => ({ value, writable: true, configurable: true })

const NO_METHOD = '@Transactional is on add, but it can only decorate an instance method.'

describe('@Transactional()', () => {
  it.each<[string, unknown[], string]>([
    ['a getter', [() => 1, context({ kind: 'getter' })], NO_METHOD],
    ['a static method', [() => 1, context({ static: true })], NO_METHOD],
    ['a private method', [() => 1, context({ private: true })], NO_METHOD],
    [
      'a static method of the legacy dialect',
      [class Notes {}, 'add', descriptor(() => 1)],
      NO_METHOD.replace('on add', 'on Notes.add'),
    ],
    ['a property of the legacy dialect', [{}, 'add', undefined], NO_METHOD],
    ['an accessor of the legacy dialect', [{}, 'add', { get: () => 1 }], NO_METHOD],
  ])('refuses %s', (_, target, cause) => {
    expect(causeOf(() => decorate(...target))).toBe(cause)
  })

  it('refuses a generator that is not async', () => {
    expect(causeOf(() => decorate(function* add() {}, context({})))).toBe(
      '@Transactional is on add, but a generator function would run only after its transaction: write `async *`.',
    )
  })

  it('refuses retries of a stream, but not of another method', () => {
    const retried = Transactional({ retries: 1 }) as unknown as Decorate
    expect(causeOf(() => retried(async function* add() {}, context({})))).toBe(
      '@Transactional is on add, but the items of a stream cannot be withdrawn: omit `retries`.',
    )
    expect(causeOf(() => retried(async () => 1, context({})))).toBeUndefined()
    const once = Transactional({ retries: 0 }) as unknown as Decorate
    expect(causeOf(() => once(async function* add() {}, context({})))).toBeUndefined()
  })

  it('refuses to be written without parentheses, and wrong options', () => {
    const bare = Transactional as unknown as Decorate
    const without = 'it is written without parentheses, so it would never take effect.'
    expect(causeOf(() => bare(() => 1, context({})))).toBe(
      `@Transactional is on add, but ${without}`,
    )
    expect(causeOf(() => bare(class Notes {}))).toBe(`@Transactional is on Notes, but ${without}`)
    expect(
      causeOf(() =>
        bare(
          {},
          'add',
          descriptor(() => 1),
        ),
      ),
    ).toBe(`@Transactional is on add, but ${without}`)
    expect(causeOf(() => bare(null))).toContain(without)
    expect(causeOf(() => bare({ retries: 11 }))).toBe('It is not a valid number of retries.')
  })
})
