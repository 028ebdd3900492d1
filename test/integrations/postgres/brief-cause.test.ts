import { inspect } from 'node:util'
import { App, ConfigError } from 'blazon'
import { postgres } from 'blazon/postgres'
import { expect, it } from 'vitest'
import { briefCause } from '../../../src/integrations/postgres/postgres-error.js'

/** As Node prints an uncaught error, without its first stack. */
function printed(error: ConfigError): string {
  const text = inspect(error, { customInspect: false, depth: Number.POSITIVE_INFINITY })
  return text.slice(text.indexOf('[cause]'))
}

it('an unreachable server is reported as a short message with the code', async () => {
  const url = 'postgres://postgres@127.0.0.1:1/postgres'
  const error = await App.create({ plugins: [postgres({ url })], logger: false }).catch((e) => e)
  expect(error).toBeInstanceOf(ConfigError)
  expect(error.message).toContain('connect ECONNREFUSED 127.0.0.1:1.')
  expect(printed(error)).toBe(
    "[cause]: [Error: connect ECONNREFUSED 127.0.0.1:1] { code: 'ECONNREFUSED' }\n}",
  )
})

it('the innermost cause of an error is kept, with its useful properties', () => {
  const refused = Object.assign(new Error('value too long'), {
    name: 'error',
    code: '22001',
    detail: 'Row 3.',
    hint: undefined,
    routine: 'varchar',
  })
  const brief = briefCause(new Error('outer', { cause: new Error('middle', { cause: refused }) }))
  expect(brief).toMatchObject({ message: 'value too long', code: '22001', detail: 'Row 3.' })
  expect(Object.keys(brief)).toEqual(['code', 'detail'])
  expect(brief.stack).toBe('error: value too long')
})

it('failures of several addresses are reported in one message, and a circular cause is accepted', () => {
  const attempts = new AggregateError([new Error('no ::1.'), new Error('no 127.0.0.1')], '')
  expect(briefCause(new Error('outer', { cause: attempts })).message).toBe('no ::1, no 127.0.0.1')
  const circle = new Error('round')
  circle.cause = circle
  expect(briefCause(circle).message).toBe('round')
  expect(briefCause('text').message).toBe('no reason was given')
})
