import { describe, expect, it } from 'vitest'
import { callerStack } from '../../src/errors/caller-stack.js'

/** Calls a function inside other calls of this function. */
function nested<T>(depth: number, call: () => T): T {
  return depth === 0 ? call() : nested(depth - 1, call)
}

function query(): string {
  return callerStack(query).stack ?? ''
}

describe('the stack of a caller', () => {
  it('begins with the caller of the given function', () => {
    const [, first] = query().split('\n')
    expect(first).toContain('caller-stack.test')
    expect(query()).not.toMatch(/at query |callerStack/)
  })

  it('contains calls that are far from the given function, but at most 60', () => {
    const frames = (depth: number) => nested(depth, query).match(/at nested /g)?.length
    expect(frames(40)).toBe(41)
    expect(frames(80)).toBe(60)
  })

  it('does not change the length of later stacks', () => {
    const before = Error.stackTraceLimit
    Error.stackTraceLimit = 7
    query()
    const after = Error.stackTraceLimit
    Error.stackTraceLimit = before
    expect(after).toBe(7)
  })
})
