import { describe, expect, it } from 'vitest'
import { LineLogger, type LineLoggerConfig } from '../../../src/features/logs/line-logger.js'

function loggerWith(config: Partial<LineLoggerConfig> = {}) {
  const lines: string[] = []
  const sink = { write: (line: string) => void lines.push(line), flush() {}, close() {} }
  const clock = { now: () => 3_723_004 } as never
  const own = { level: 'trace', redact: [], secrets: [], pretty: null } as const
  return { logger: new LineLogger({ ...own, clock, sink, ...config }), lines }
}

/** The JSON of the line that is written for these facts, without the fields of every line. */
function factsOf(facts: object, config: Partial<LineLoggerConfig> = {}): unknown {
  const { logger, lines } = loggerWith(config)
  logger.info(facts, 'm')
  const { level: _level, time: _time, message: _message, ...others } = JSON.parse(lines.join(''))
  return others
}

describe('a line of the own logger', () => {
  it('is written from the chosen level on', () => {
    const written = (level: LineLoggerConfig['level']) => {
      const { logger, lines } = loggerWith({ level })
      for (const each of ['trace', 'debug', 'info', 'warn', 'error', 'fatal'] as const) {
        logger[each](each)
        expect(logger.isWritten(each)).toBe(lines.at(-1)?.includes(each) === true)
      }
      return lines.map((line) => JSON.parse(line).level)
    }
    expect(written('trace')).toEqual(['trace', 'debug', 'info', 'warn', 'error', 'fatal'])
    expect(written('warn')).toEqual(['warn', 'error', 'fatal'])
    expect(written('fatal')).toEqual(['fatal'])
    expect(written('silent')).toEqual([])
  })

  it.each<[string, unknown[], object]>([
    ['a text', ['hello'], { message: 'hello' }],
    ['facts and a text', [{ a: 1 }, 'hello'], { message: 'hello', a: 1 }],
    ['only facts', [{ a: 1 }], { message: '', a: 1 }],
    ['only an error', [new Error('down')], { message: 'down', err: { message: 'down' } }],
    ['an error and a text', [new Error('a'), 'b'], { message: 'b', err: { message: 'a' } }],
    ['nothing', [], { message: '' }],
    ['null', [null, 'x'], { message: '' }],
  ])('can be called with %s', (_, args, expected) => {
    const { logger, lines } = loggerWith()
    ;(logger.info as (...args: unknown[]) => void)(...args)
    expect(JSON.parse(lines.join(''))).toMatchObject({
      level: 'info',
      time: 3_723_004,
      ...expected,
    })
  })

  it('keeps its own fields, whatever the facts contain', () => {
    const facts = { level: 1, time: 2, message: 3 }
    const { logger, lines } = loggerWith()
    logger.warn(facts, 'own')
    expect(JSON.parse(lines.join(''))).toEqual({
      ...{ level: 'warn', time: 3_723_004, message: 'own' },
      ...{ level_: 1, time_: 2, message_: 3 },
    })
  })

  it('has facts of every kind as plain data', () => {
    const own = Object.assign(Object.create({ inherited: 1 }), { a: 1 })
    const facts = {
      map: new Map<unknown, unknown>([['a', 1n]]),
      set: new Set(['x', undefined]),
      json: { toJSON: () => ({ made: new Date(0) }) },
      own,
      none: null,
      run: () => {},
      key: Symbol('key'),
      nan: Number.NaN,
      view: new DataView(new ArrayBuffer(3)),
    }
    expect(factsOf({ ...facts, proto: JSON.parse('{"__proto__":{"b":1}}') })).toEqual({
      map: { a: '1' },
      set: ['x', null],
      json: { made: '1970-01-01T00:00:00.000Z' },
      own: { a: 1 },
      none: null,
      nan: null,
      view: '[3 bytes]',
      proto: JSON.parse('{"__proto__":{"b":1}}'),
    })
  })

  it('contains a repeated object twice, but not an object within itself', () => {
    const shared = { a: 1 }
    const loop: Record<string, unknown> = { shared, again: shared }
    loop['self'] = [loop]
    expect(factsOf({ loop })).toEqual({
      loop: { shared: { a: 1 }, again: { a: 1 }, self: ['[circular]'] },
    })
  })

  it('has a limited depth, and limited lists', () => {
    let deep: unknown = 'x'
    for (let level = 0; level < 12; level++) deep = { deep }
    expect(JSON.stringify(factsOf({ deep }))).toBe(
      `${'{"deep":'.repeat(11)}"[deeper]"${'}'.repeat(11)}`,
    )
    const { list } = factsOf({ list: Array.from({ length: 1001 }, (_, n) => n) }) as {
      list: number[]
    }
    expect([list.length, list.at(-1)]).toEqual([1000, 999])
  })

  it('contains the cause and the own fields of an error, and the errors of an AggregateError', () => {
    const cause = Object.assign(new Error('inner'), { code: 'E1' })
    const err = Object.assign(new AggregateError([new Error('one')], 'outer', { cause }), { n: 1 })
    expect(factsOf({ err })).toMatchObject({
      err: {
        name: 'AggregateError',
        message: 'outer',
        n: 1,
        stack: expect.stringContaining('line-logger.test'),
        cause: { message: 'inner', code: 'E1' },
        errors: [{ message: 'one' }],
      },
    })
  })

  it('hides the fields in `redact`, in any case of letters and only below the named parents', () => {
    const redact = ['Note', 'card.number', 'a.b.c']
    const facts = {
      NOTE: 'x',
      number: 1,
      Card: { Number: 2, list: [{ number: 3 }] },
      cards: [{ card: [{ number: 4 }] }],
      a: { b: { c: 5 }, c: 6 },
      b: { c: 7 },
    }
    expect(factsOf(facts, { redact })).toEqual({
      NOTE: '[redacted]',
      number: 1,
      Card: { Number: '[redacted]', list: [{ number: 3 }] },
      cards: [{ card: [{ number: '[redacted]' }] }],
      a: { b: { c: '[redacted]' }, c: 6 },
      b: { c: 7 },
    })
  })

  it('hides secret fields of schemas, except in the parts of an error', () => {
    const err = Object.assign(new Error('shown'), { answer: 'hidden', message: 'shown' })
    const line = factsOf({ answer: 'x', Message: 'y', err }, { secrets: ['answer', 'message'] })
    expect(line).toMatchObject({
      answer: '[redacted]',
      Message: '[redacted]',
      err: { message: 'shown', answer: '[redacted]' },
    })
  })

  it('reports whether it hides one of several fields', () => {
    const { logger } = loggerWith({ redact: ['user'], secrets: ['path'] })
    expect(logger.hidesAny(['method', 'route'])).toBe(false)
    expect(logger.hidesAny(['method', 'user'])).toBe(true)
    expect(logger.hidesAny(['path', 'method'])).toBe(true)
  })
})

describe('a line for a terminal', () => {
  const plain = { isColored: false }

  it('has its time, level, message and facts in one line, with colors only if they are wanted', () => {
    const written = (isColored: boolean) => {
      const { logger, lines } = loggerWith({ pretty: { isColored } })
      logger.info({ a: 'x', b: { c: 1 } }, 'Hello')
      logger.fatal('Over')
      return lines.join('')
    }
    const { logger, lines } = loggerWith({ pretty: { isColored: true } })
    for (const level of ['trace', 'debug', 'warn', 'error'] as const) logger[level]('x')
    expect(lines.map((line) => /\[(\d+)m[A-Z]/.exec(line)?.[1])).toEqual(['90', '90', '33', '31'])
    expect(written(false)).toBe('01:02:03.004 INFO  Hello a=x b={"c":1}\n01:02:03.004 FATAL Over\n')
    const gray = (text: string) => `\u001b[90m${text}\u001b[0m`
    expect(written(true)).toBe(
      `${gray('01:02:03.004')} \u001b[32mINFO \u001b[0m Hello ${gray('a=')}x ${gray('b=')}{"c":1}\n` +
        `${gray('01:02:03.004')} \u001b[35mFATAL\u001b[0m Over\n`,
    )
  })

  it('is followed by its error, the fields of the error, and its cause', () => {
    const { logger, lines } = loggerWith({ pretty: plain })
    const cause = Object.assign(new TypeError('inner'), { stack: undefined })
    const err = Object.assign(new Error('out\ner', { cause }), { code: 'E1' })
    err.stack = `Error: out\ner\n    at one (a.ts:1:2)\n\n    at two (b.ts:3:4)`
    logger.error({ err }, 'Failed')
    expect(lines.join('')).toBe(
      [
        '01:02:03.004 ERROR Failed',
        '    Error: out\\ner {"code":"E1"}',
        '      at one (a.ts:1:2)',
        '      at two (b.ts:3:4)',
        '    TypeError: inner',
        '',
      ].join('\n'),
    )
  })

  it('shows an error that is no object', () => {
    const { logger, lines } = loggerWith({ pretty: plain })
    logger.error({ err: 'lost\u001b[31m' }, 'a')
    logger.error({ err: null }, 'b')
    expect(lines.join('')).toBe(
      '01:02:03.004 ERROR a\n    lost\\u001b[31m\n01:02:03.004 ERROR b\n    null\n',
    )
  })
})
