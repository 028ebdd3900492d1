import { ConfigError } from 'blazon'
import { describe, expect, it } from 'vitest'
import { blameCaller } from '../../src/errors/blame-caller.js'
import { invalid, sharedProblem, shown } from '../../src/errors/config-error.js'
import { unknownNames, unknownOptions } from '../../src/errors/option-group.js'

const first = invalid('auth.guard', 'It is a text.', 'Pass a class.')
const second = { ...first, subject: 'Users.list' }

describe('ConfigError', () => {
  it('lists its problems and their number in its message', () => {
    expect(new ConfigError([first]).message).toBe(
      'The application cannot start: 1 problem.\n\n' +
        '1. [E_OPTION_INVALID] auth.guard\n   It is a text.\n   Pass a class.\n',
    )
    const { message } = new ConfigError([first, second])
    expect(message).toContain('2 problems.\n\n1. [E_OPTION_INVALID] auth.guard\n')
    expect(message).toContain('class.\n\n2. [E_OPTION_INVALID] Users.list\n')
  })

  it('keeps a frozen copy of its problems, and the cause', () => {
    const problems = [first]
    const cause = new Error('below')
    const error = new ConfigError(problems, { cause })
    problems.push(second)
    expect(error.problems).toEqual([first])
    expect(Object.isFrozen(error.problems)).toBe(true)
    expect([error.name, error.cause]).toEqual(['ConfigError', cause])
    expect(Object.keys(error)).not.toContain('problems')
  })
})

describe('a problem of several routes', () => {
  const problem = {
    code: 'W_AUTH_WITHOUT_GUARD',
    cause: 'It is open.',
    remedy: 'Close it.',
  } as const

  it('lists each name once, although a method can have several routes', () => {
    const routes = ['Users.get', 'Users.get', 'Users.list'].map((name) => ({ name }))
    expect(sharedProblem(routes, problem)).toEqual([
      { ...problem, subject: 'Users.get, Users.list' },
    ])
    expect(sharedProblem([], problem)).toEqual([])
  })
})

describe('blameCaller', () => {
  function start(run: () => Promise<unknown>) {
    return blameCaller(start, run)
  }
  const fails = async (error: unknown) => {
    await undefined
    throw error
  }

  it('makes the stack of a ConfigError start at the caller, without frames of Node', async () => {
    const error = new ConfigError([first])
    await expect(start(() => fails(error))).rejects.toBe(error)
    const lines = String(error.stack).slice(`ConfigError: ${error.message}`.length).split('\n')
    expect(error.stack).toContain(`ConfigError: ${error.message}\n`)
    expect(lines[1]).toContain('config-error.test')
    expect(error.stack).not.toMatch(/blame-caller|node:internal|at start /)
  })

  it('does not change other errors and results', async () => {
    const error = new Error('own')
    const { stack } = error
    await expect(start(() => fails(error))).rejects.toBe(error)
    expect(error.stack).toBe(stack)
    await expect(start(async () => 'done')).resolves.toBe('done')
  })

  it('works in a program that formats stacks itself', async () => {
    const before = Error.prepareStackTrace
    Error.prepareStackTrace = () => ({ own: true })
    const error = new ConfigError([first])
    try {
      await expect(start(() => fails(error))).rejects.toBe(error)
    } finally {
      Error.prepareStackTrace = before
    }
    expect(error.stack).toBe(`ConfigError: ${error.message}`)
  })
})

describe('the names of options', () => {
  const names = { guard: true, can: true }

  it('are reported if they are unknown, with a similar known name', () => {
    expect(unknownNames('auth.', { guard: 1, gaurd: 2, can: 3 }, names)).toEqual([
      {
        code: 'W_OPTION_UNKNOWN',
        subject: 'auth.gaurd',
        cause: 'It is not an option of this version, and has no effect.',
        remedy: 'Did you mean guard? The valid options are: guard, can.',
      },
    ])
    expect(unknownOptions('', { gaurd: 2, toString: 3 }, names)).toMatchObject([
      { code: 'E_OPTION_INVALID', subject: 'gaurd' },
      { code: 'E_OPTION_INVALID', subject: 'toString' },
    ])
  })

  it('are checked in nested objects, lists and records, but not in class instances', () => {
    class Guard {
      own = 1
    }
    const nested = {
      guard: { scheme: true, 'x-': true },
      list: { id: true },
      all: { '*': { on: true } },
    }
    const value = {
      guard: { shceme: 1, 'x-logo': 2 },
      list: [{ id: 1 }, { ids: 2 }],
      all: { first: { on: 1 }, other: { of: 2 } },
    }
    const subjects = unknownNames('', value, nested).map(({ subject }) => subject)
    expect(subjects).toEqual(['guard.shceme', 'list[1].ids', 'all.other.of'])
    expect(unknownNames('', { guard: new Guard(), list: 'ids' }, nested)).toEqual([])
  })

  it.each([null, undefined, 'gaurd', true, {}])(
    'are not checked if the options are %s',
    (value) => {
      expect(unknownNames('auth.', value, names)).toEqual([])
    },
  )

  it('are reported if a synchronous function is required and an asynchronous one is given', () => {
    const functions = { can: 'sync', id: 'sync' }
    const later = async () => true
    const value = { can: [() => true, later], id: async function* () {} }
    expect(unknownNames('auth.', value, functions)).toMatchObject([
      { code: 'E_OPTION_INVALID', subject: 'auth.can' },
      { code: 'E_OPTION_INVALID', subject: 'auth.id' },
    ])
    expect(unknownNames('auth.', { can: [() => true], id: function* () {} }, functions)).toEqual([])
  })

  it('have values that a message shows in quotes only if they are strings', () => {
    expect([shown('1m'), shown(1), shown(null), shown(true)]).toEqual(["'1m'", '1', 'null', 'true'])
    expect(shown(Object.create(null))).toBe('an object that cannot be converted to a string')
  })
})
